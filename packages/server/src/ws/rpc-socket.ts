import {
  type Caller,
  failAt,
  isObject,
  isProtocolError,
  type JsonObject,
  ProtocolError,
} from "@dt/schema";
import {
  findErrorVersion,
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
import { CLOSE_CODES } from "./close-codes.js";
import type { SocketConnection } from "./socket-connection.js";
import type { SocketInfo } from "./socket-info.js";

/** Everything that serving a socket needs. */
export interface SocketService {
  readonly connection: SocketConnection;
  readonly services: RpcServices;
  readonly caller: Caller;
  readonly info: SocketInfo;
  /** True if the subprotocol is `a2a.v1`, a public proposal that has control frames of its own. */
  readonly isProposed: boolean;
  readonly logCall: CallLog;
  onFault(reason: unknown): void;
}

/** Maximum number of running requests of one socket. */
const MAX_RUNNING_REQUESTS = 128;

/**
 * Serves JSON-RPC on a socket. Many requests may run at the same time. Each answer has the `id` of its request.
 *
 * The frames of a stream are responses with the id of the request and a `cursor`; `$/end` ends the stream.
 * `$/cancel` stops a request, and `$/ping` is answered. If `isProposed` is true, the control frames of
 * `a2a.v1` also work: `streamEnd` with the id of the request is sent after `$/end`, and `cancelStream` stops
 * a stream.
 */
export function serveRpc(service: SocketService): (text: string) => Promise<void> {
  const { connection, services, caller, logCall, onFault } = service;
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
      await connection.send(JSON.stringify(failureOf(request, reason, service)));
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
      // An error with the id of a running request would look like the answer to that request.
      id = running.has(rpcIdOf(json)) ? null : rpcIdOf(json);
      await services.rates?.countRequest(caller.user);
      if (service.isProposed && isObject(json) && json.cancelStream === true) {
        method = "cancelStream";
        running.get(rpcIdOf(json))?.abort();
        return;
      }
      const request = parseRpcRequest(json);
      method = request.method;
      if (request.method === "$/cancel") {
        running.get(rpcIdOf(request.params))?.abort();
        return;
      }
      checkId(request, running);
      // A page in a browser can neither send nor see pings, so its client tests the connection with `$/ping`.
      if (request.method === "$/ping") {
        await connection.send(JSON.stringify(rpcSuccess(request.id, {})));
        return;
      }
      const abort = new AbortController();
      running.set(request.id, abort);
      await logCall(method, () => answer(request, abort));
    } catch (reason) {
      await logCall(method, async () => {
        await connection.send(JSON.stringify(failureOf({ id, method }, reason, service)));
        return outcomeOf(reason);
      });
      if (isProtocolError(reason) && reason.code === "parse-error") {
        connection.close(CLOSE_CODES.badFrame, "the frame is not JSON");
      }
    }
  };
}

// Encodes an error in the A2A version of the socket or, if the socket has none, in the version of the method.
function failureOf(
  { id, method }: { readonly id: RpcId; readonly method: string | undefined },
  reason: unknown,
  { info }: SocketService,
): JsonObject {
  return rpcFailure(id, reason, findErrorVersion(info.version, method));
}

function checkId({ id }: RpcRequest, running: ReadonlyMap<RpcId, unknown>): void {
  if (id === null) {
    throw new ProtocolError(
      "invalid-request",
      "id: required, because answers are matched to requests by id",
    );
  }
  if (running.has(id)) {
    throw new ProtocolError(
      "invalid-request",
      `id: a request with the id ${JSON.stringify(id)} is still under way`,
    );
  }
  if (running.size >= MAX_RUNNING_REQUESTS) {
    throw new ProtocolError(
      "agent-busy",
      `${MAX_RUNNING_REQUESTS} requests of this socket are under way; wait for one of them`,
    );
  }
}

async function runCall(
  request: RpcRequest,
  signal: AbortSignal,
  { connection, services, caller, info, isProposed }: SocketService,
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
      const written = connection.send(frameText(prefix, frame));
      if (written !== undefined) await written;
    }
  }
  await connection.send(`{"jsonrpc":"2.0","method":"$/end","params":{"id":${JSON.stringify(id)}}}`);
  if (isProposed) {
    await connection.send(JSON.stringify({ jsonrpc: "2.0", id, streamEnd: true }));
  }
}

/** Builds the text of a frame: prefix, JSON of the frame, and cursor, which SSE would send as `id:`. */
export function frameText(prefix: string, { json, cursor }: StreamFrame): string {
  return cursor === undefined
    ? `${prefix}${json}}`
    : `${prefix}${json},"cursor":${JSON.stringify(cursor)}}`;
}

function readAfter(params: unknown): string | undefined {
  const after = isObject(params) ? (params.after ?? "") : "";
  if (typeof after === "string") return after || undefined;
  failAt("after", "expected a cursor");
}
