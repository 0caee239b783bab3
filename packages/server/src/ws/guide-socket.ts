import { isProtocolError, ProtocolError } from "@dt/schema";
import {
  type ClientMessage,
  guideDialect,
  parseJsonText,
  parseRpcRequest,
  type RpcId,
  type RpcRequest,
  rpcIdOf,
  rpcSuccess,
  spellings,
} from "@dt/schema/wire";
import { checkSettings } from "../access/workspace-roots.js";
import { recordRefusal } from "../audit/record-refusal.js";
import { type CallOutcome, outcomeOf } from "../logging/call-log.js";
import { deliverMessage } from "../rpc/messages/deliver-message.js";
import type { DeliveryContext } from "../rpc/messages/delivery.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import { CLOSE_CODES } from "./close-codes.js";
import type { SocketService } from "./rpc-socket.js";
import { sendSessionEvents } from "./send-session-events.js";

/**
 * Serves the dialect of the live endpoint's guide on a socket. It accepts JSON-RPC `message/stream`, and sends flat
 * frames for all events of the session. (guide of the live endpoint, sections 3 and 4)
 *
 * On a live endpoint, the session is the one that all clients share. On other servers, the first prompt
 * creates a session for the socket, in the default workspace. A request with an id is answered with the id of
 * its task. A request without an id is answered only if it fails.
 */
export function serveGuide(service: SocketService): (text: string) => Promise<void> {
  const { connection, services, logCall, onFault } = service;
  const subscription = { services, dialect: guideDialect };
  const context = { ...toContext(service), findSession };
  let session: Promise<SharedSession> | undefined;
  let earlier: Promise<void> = Promise.resolve();

  function open(opening: Promise<SharedSession>): Promise<SharedSession> {
    session = opening;
    opening
      .then((opened) => sendSessionEvents(connection, { ...subscription, session: opened }))
      .catch((reason: unknown) => {
        session = undefined;
        if (!isProtocolError(reason)) onFault(reason);
        if (services.shared === undefined) return;
        connection.close(
          CLOSE_CODES.sessionClosed,
          "the events of the session cannot be sent; connect again",
        );
      });
    return opening;
  }

  async function handleText(text: string): Promise<void> {
    let id: RpcId = null;
    try {
      const json = parseJsonText(text);
      id = rpcIdOf(json);
      await services.rates?.countRequest(service.caller.user);
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
      const received = guideDialect.decodeMessage(request.params);
      const { host, taskId } = await deliverMessage(received, context);
      // If another socket has already sent this message, the message belongs to the session of that socket. This socket
      // then gets the events of that session.
      if (session === undefined) void open(Promise.resolve({ host, taskId }));
      if (id !== null) await connection.send(JSON.stringify(rpcSuccess(id, { taskId })));
      return "ok";
    } catch (reason) {
      return await refuse(id, reason);
    }
  }

  async function refuse(id: RpcId, reason: unknown): Promise<CallOutcome> {
    if (!isProtocolError(reason)) onFault(reason);
    const { user, name } = service.caller;
    if (services.audit) recordRefusal(reason, { user, name, subject: "stream" }, services.audit);
    await connection.send(JSON.stringify(guideDialect.encodeError(reason, id).body));
    return outcomeOf(reason);
  }

  async function findSession(type: ClientMessage["type"]): Promise<SharedSession> {
    if (services.shared !== undefined) return await services.shared();
    if (type === "prompt") return await (session ?? open(openOwnSession(service)));
    if (session !== undefined) return await session;
    throw new ProtocolError(
      "confirmation-not-found",
      "this socket has no session yet; send a prompt first",
    );
  }

  if (services.shared !== undefined) void open(services.shared());
  return (text) => {
    // Messages are handled in the order of arrival.
    earlier = earlier.then(() => handleText(text));
    return earlier;
  };
}

const ACCESS_ENDED = "your access to this session has ended";

function toContext({ services, caller, info, connection }: SocketService): DeliveryContext {
  const { isFromLoopback } = info;
  return {
    ...services,
    dialect: guideDialect,
    caller,
    right: "stream",
    isFromLoopback,
    signal: connection.signal,
    endWith(watch) {
      const grant = watch(connection.signal);
      const onEnd = () => connection.close(CLOSE_CODES.policy, ACCESS_ENDED);
      grant.addEventListener("abort", onEnd, { once: true });
    },
    acceptsStream: true,
    after: undefined,
    // The guide has neither versions of A2A nor extensions, so these values have no effect.
    spelling: spellings["0.3"],
    activation: { uris: services.uris, developmentTool: false, session: false },
  };
}

async function openOwnSession({ services, caller }: SocketService): Promise<SharedSession> {
  const { sessions, defaultSettings, workspaceRoots, createId } = services;
  const settings = await checkSettings(defaultSettings, workspaceRoots);
  // In the guide of the live endpoint, a task and its session have the same id.
  const contextId = createId();
  const host = await sessions.createSession({ contextId, settings }, caller);
  return { host, taskId: contextId };
}
