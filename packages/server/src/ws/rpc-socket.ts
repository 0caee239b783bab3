import { type Caller, isObject, isProtocolError, ProtocolError } from "@dt/schema";
import {
  parseJsonText,
  parseRpcRequest,
  type RpcId,
  type RpcRequest,
  rpcFailure,
  rpcIdOf,
  rpcSuccess,
  type StreamFrame,
} from "@dt/schema/wire";
import { type CallLog, type CallOutcome, outcomeOf } from "../logging/call-log.js";
import { dispatch } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { closeCodes } from "./close-codes.js";
import type { SocketConnection } from "./socket-connection.js";
import type { SocketInfo } from "./socket-info.js";

/** What a socket is served with. */
export interface SocketService {
  readonly connection: SocketConnection;
  readonly services: RpcServices;
  readonly caller: Caller;
  readonly info: SocketInfo;
  readonly logCall: CallLog;
  onFault(reason: unknown): void;
}

/** How many requests one socket may have under way. */
const MAX_RUNNING = 128;

/**
 * JSON-RPC over a socket: every method of the dispatcher, many at once, told apart by their `id`.
 *
 * A stream's frames are responses with the request's id and a `cursor`; `$/end` says that there are no
 * more. `$/cancel` stops one, `$/ping` is answered. (DESIGN 3.14)
 */
export function serveRpc(service: SocketService): (text: string) => Promise<void> {
  const { connection, logCall, onFault } = service;
  const running = new Map<RpcId, AbortController>();
  connection.signal.addEventListener("abort", () => {
    for (const abort of running.values()) abort.abort();
  });

  async function answer(request: RpcRequest, abort: AbortController): Promise<CallOutcome> {
    const { id } = request;
    try {
      await runCall(request, abort.signal, service);
      return abort.signal.aborted ? "aborted" : "ok";
    } catch (reason) {
      if (!isProtocolError(reason)) onFault(reason);
      await connection.send(JSON.stringify(rpcFailure(id, reason)));
      return outcomeOf(reason);
    } finally {
      running.delete(id);
    }
  }

  return async (text) => {
    let id: RpcId = null;
    let method: string | undefined;
    try {
      const json = parseJsonText(text);
      // An error under the id of a request that runs would be taken for that one's.
      id = running.has(rpcIdOf(json)) ? null : rpcIdOf(json);
      const request = parseRpcRequest(json);
      method = request.method;
      if (request.method === "$/cancel") {
        running.get(rpcIdOf(request.params))?.abort();
        return;
      }
      checkId(request, running);
      // A browser shows its page no pings, so a client asks like this whether we are there.
      if (request.method === "$/ping") {
        await connection.send(JSON.stringify(rpcSuccess(request.id, {})));
        return;
      }
      const abort = new AbortController();
      running.set(request.id, abort);
      await logCall(method, () => answer(request, abort));
    } catch (reason) {
      await logCall(method, async () => {
        await connection.send(JSON.stringify(rpcFailure(id, reason)));
        return outcomeOf(reason);
      });
      if (isProtocolError(reason) && reason.code === "parse-error") {
        connection.close(closeCodes.badFrame, "the frame is not JSON");
      }
    }
  };
}

function checkId({ id }: RpcRequest, running: ReadonlyMap<RpcId, unknown>): void {
  if (id === null) {
    throw new ProtocolError("invalid-request", "id: required, since one socket carries many");
  }
  if (running.has(id)) {
    throw new ProtocolError("invalid-request", `id: ${JSON.stringify(id)} is still under way`);
  }
  if (running.size >= MAX_RUNNING) {
    throw new ProtocolError("agent-busy", `${MAX_RUNNING} requests of this socket are under way`);
  }
}

async function runCall(
  request: RpcRequest,
  signal: AbortSignal,
  { connection, services, caller, info }: SocketService,
): Promise<void> {
  const { id, params } = request;
  const after = readAfter(params);
  const call = { ...info, caller, after, signal, acceptsStream: true };
  const outcome = await dispatch(request, call, services).run();
  if (outcome.type === "result") {
    await connection.send(() => JSON.stringify(rpcSuccess(id, outcome.result)));
    return;
  }
  const prefix = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  for await (const frames of outcome.batches) {
    for (const frame of frames) {
      if (signal.aborted) break;
      const room = connection.send(frameText(prefix, frame));
      if (room !== undefined) await room;
    }
  }
  await connection.send(`{"jsonrpc":"2.0","method":"$/end","params":{"id":${JSON.stringify(id)}}}`);
}

/** A frame between what stands before it and its cursor, where SSE has its `id:`. */
export function frameText(prefix: string, { json, cursor }: StreamFrame): string {
  return cursor === undefined
    ? `${prefix}${json}}`
    : `${prefix}${json},"cursor":${JSON.stringify(cursor)}}`;
}

function readAfter(params: unknown): string | undefined {
  const after = isObject(params) ? (params.after ?? "") : "";
  if (typeof after === "string") return after || undefined;
  throw new ProtocolError("invalid-message", "after: expected a cursor");
}
