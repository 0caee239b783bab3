import { isProtocolError, ProtocolError } from "@dt/schema";
import {
  decodeGuideMessage,
  parseRpcText,
  type RpcId,
  rpcFailure,
  rpcIdOf,
  rpcSuccess,
} from "@dt/schema/wire";
import { checkSettings } from "../access/workspace-roots.js";
import { deliverAnswers } from "../rpc/deliver-answers.js";
import type { SharedSession } from "../rpc/shared-session.js";
import type { SocketService } from "./rpc-socket.js";
import { sendGuideFrames } from "./unasked-events.js";

/**
 * The live endpoint's guide over a socket: JSON-RPC `message/stream` in, flat frames of everything
 * that happens out. (GUIDE 3, 4)
 *
 * Where no session is shared, the first prompt makes one of the socket's own, in the default workspace.
 * A request with an id is answered with its task; one without hears only of errors.
 */
export function serveGuide(service: SocketService): (text: string) => Promise<void> {
  const { connection, services, onFault } = service;
  let session: Promise<SharedSession> | undefined;
  let earlier: Promise<void> = Promise.resolve();

  function open(opening: Promise<SharedSession>): Promise<SharedSession> {
    session = opening;
    opening
      .then((opened) => sendGuideFrames(connection, { session: opened }))
      .catch((reason: unknown) => {
        session = undefined;
        if (!isProtocolError(reason)) onFault(reason);
      });
    return opening;
  }

  async function take(text: string): Promise<void> {
    let id: RpcId = null;
    try {
      const request = parseRpcText(text);
      id = rpcIdOf(request);
      if (request.method !== "message/stream") {
        throw new ProtocolError("method-not-found", `there is no method ${request.method} here`);
      }
      const taskId = await deliver(request.params);
      if (id !== null) await connection.send(JSON.stringify(rpcSuccess(id, { taskId })));
    } catch (reason) {
      if (!isProtocolError(reason)) onFault(reason);
      await connection.send(JSON.stringify(rpcFailure(id, reason)));
    }
  }

  async function deliver(params: unknown): Promise<string> {
    const { messageId = services.createId(), ...message } = decodeGuideMessage(params);
    const { principal } = service;
    const receipt = await services.sessions.findReceipt(principal, messageId);
    if (receipt !== undefined) return receipt.taskId;
    if (message.type === "prompt") {
      const { host, taskId } = await (session ?? open(openOwnSession(service)));
      await host.agent.prompt({ messageId, taskId, parts: message.parts }, principal);
      return taskId;
    }
    if (session === undefined) {
      throw new ProtocolError("confirmation-not-found", "this socket has asked nothing yet");
    }
    const { host, taskId } = await session;
    const { confirmations } = message;
    return (await deliverAnswers({ host, confirmations, principal, messageId, taskId })).taskId;
  }

  if (services.shared !== undefined) void open(services.shared());
  return (text) => {
    // In the order in which they came.
    earlier = earlier.then(() => take(text));
    return earlier;
  };
}

async function openOwnSession({ services, principal }: SocketService): Promise<SharedSession> {
  const { sessions, defaultSettings, workspaceRoots, createId } = services;
  const settings = await checkSettings(defaultSettings, workspaceRoots);
  // The guide's task is the session itself.
  const contextId = createId();
  const host = await sessions.createSession({ contextId, settings }, principal);
  return { host, taskId: contextId };
}
