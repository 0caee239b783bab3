import { isProtocolError, ProtocolError } from "@dt/schema";
import {
  type GuideMessage,
  parseJsonText,
  parseRpcRequest,
  type RpcId,
  type RpcRequest,
  rpcFailure,
  rpcIdOf,
  rpcSuccess,
} from "@dt/schema/wire";
import { checkSettings } from "../access/workspace-roots.js";
import { type CallOutcome, outcomeOf } from "../logging/call-log.js";
import { deliverGuideMessage } from "../rpc/guide/deliver-guide-message.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import { closeCodes } from "./close-codes.js";
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
  const { connection, services, logCall, onFault } = service;
  let session: Promise<SharedSession> | undefined;
  let earlier: Promise<void> = Promise.resolve();

  function open(opening: Promise<SharedSession>): Promise<SharedSession> {
    session = opening;
    opening
      .then((opened) => sendGuideFrames(connection, { session: opened, services }))
      .catch((reason: unknown) => {
        session = undefined;
        if (!isProtocolError(reason)) onFault(reason);
        if (services.shared === undefined) return;
        connection.close(closeCodes.sessionClosed, "the session cannot be watched; connect again");
      });
    return opening;
  }

  async function take(text: string): Promise<void> {
    let id: RpcId = null;
    try {
      const json = parseJsonText(text);
      id = rpcIdOf(json);
      const request = parseRpcRequest(json);
      await logCall(request.method, () => answer(request));
    } catch (reason) {
      await logCall(undefined, () => refuse(id, reason));
    }
  }

  async function answer(request: RpcRequest): Promise<CallOutcome> {
    const { id } = request;
    try {
      if (request.method !== "message/stream") {
        throw new ProtocolError("method-not-found", `there is no method ${request.method} here`);
      }
      const { caller } = service;
      const { host, taskId } = await deliverGuideMessage(request.params, {
        services,
        caller,
        findSession,
      });
      // A message that another socket sent before: what became of it is heard here too.
      if (session === undefined) void open(Promise.resolve({ host, taskId }));
      if (id !== null) await connection.send(JSON.stringify(rpcSuccess(id, { taskId })));
      return "ok";
    } catch (reason) {
      return await refuse(id, reason);
    }
  }

  async function refuse(id: RpcId, reason: unknown): Promise<CallOutcome> {
    if (!isProtocolError(reason)) onFault(reason);
    await connection.send(JSON.stringify(rpcFailure(id, reason)));
    return outcomeOf(reason);
  }

  async function findSession(type: GuideMessage["type"]): Promise<SharedSession> {
    if (services.shared !== undefined) return await services.shared();
    if (type === "prompt") return await (session ?? open(openOwnSession(service)));
    if (session !== undefined) return await session;
    throw new ProtocolError("confirmation-not-found", "this socket has asked nothing yet");
  }

  if (services.shared !== undefined) void open(services.shared());
  return (text) => {
    // In the order in which they came.
    earlier = earlier.then(() => take(text));
    return earlier;
  };
}

async function openOwnSession({ services, caller }: SocketService): Promise<SharedSession> {
  const { sessions, defaultSettings, workspaceRoots, createId } = services;
  const settings = await checkSettings(defaultSettings, workspaceRoots);
  // The guide's task is the session itself.
  const contextId = createId();
  const host = await sessions.createSession({ contextId, settings }, caller);
  return { host, taskId: contextId };
}
