import type { IncomingMessage } from "node:http";
import { type Caller, ERROR_CODES, isObject, isProtocolError, type JsonObject } from "@dt/schema";
import {
  findErrorVersion,
  parseRpcRequest,
  type RpcId,
  rpcFailure,
  rpcIdOf,
  rpcSuccess,
  SERVER_TRAITS,
} from "@dt/schema/wire";
import type { Request, RequestHandler, Response } from "express";
import { retryHeaders } from "../access/rates/retry-headers.js";
import { readVersionParameter } from "../access/source/version-parameter.js";
import { type Call, dispatch } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { callerOf } from "./admit-request.js";
import { echoExtensions, readCallInfo } from "./call-info.js";
import { closeSignal } from "./close-signal.js";
import { runCall } from "./run-call.js";
import { sendSse } from "./sse-response.js";

/** Options of {@link rpcRoute}. */
export interface RpcRouteOptions {
  readonly services: RpcServices;
  authenticate(request: IncomingMessage): Caller | Promise<Caller>;
  /** Called with faults of the server. */
  onFault(reason: unknown): void;
  /** Interval of heartbeats on a stream, in ms. Default: 15,000. */
  readonly heartbeatMs?: number;
}

/** Serves JSON-RPC over HTTP. The answer is JSON or server-sent events. */
export function rpcRoute(options: RpcRouteOptions): RequestHandler {
  const { services, onFault, heartbeatMs } = options;
  return async (request, response) => {
    const gone = closeSignal(response);
    let id: RpcId = rpcIdOf(request.body);
    let call: Call | undefined;
    try {
      const rpcRequest = parseRpcRequest(request.body);
      id = rpcRequest.id;
      const info = readCallInfo(request, callerOf(request), {
        signal: gone,
        credentials: services.credentials,
      });
      call = dispatch(rpcRequest, info, services);
      echoExtensions(response, call);
      const outcome = await runCall(call, response, heartbeatMs);
      if (outcome.type === "result") {
        response.json(rpcSuccess(id, outcome.result));
      } else {
        const { batches, frameId = id } = outcome;
        const envelope = resultEnvelope(frameId);
        await sendSse(response, { batches, signal: gone, ...envelope, heartbeatMs });
      }
    } catch (reason) {
      if (!isProtocolError(reason)) onFault(reason);
      const failure = call?.dialect.encodeError(reason, id) ?? earlyFailure(request, id, reason);
      const headers = retryHeaders(reason);
      sendFailure(response, { ...failure, status: findStatus(reason), headers }, call);
    }
  };
}

/** Returns the text before and after each frame, which makes the frame a JSON-RPC result. */
export function resultEnvelope(id: RpcId): { readonly prefix: string; readonly suffix: string } {
  return { prefix: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, suffix: "}" };
}

// Encodes the error of a request that could not be dispatched, for which no dialect is known.
function earlyFailure(request: Request, id: RpcId, reason: unknown): { readonly body: JsonObject } {
  const method = isObject(request.body) ? request.body.method : undefined;
  return { body: rpcFailure(id, reason, findErrorVersion(readVersionParameter(request), method)) };
}

interface Failure {
  readonly body: JsonObject;
  /** Name of the SSE event, if the error is sent on a stream. Default: an event without a name. */
  readonly event?: string;
  /** HTTP status other than 200, if the error has one. */
  readonly status: number | undefined;
  /** Headers of an answer with that status. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Finds the HTTP status of an error whose status is not 200. Proxies and monitors act on such a status. All other
 * errors have the status 200, because clients read the code in the body.
 */
function findStatus(reason: unknown): number | undefined {
  const hasStatus =
    isProtocolError(reason) && (reason.code === "forbidden" || reason.code === "rate-limited");
  return hasStatus ? ERROR_CODES[reason.code].http : undefined;
}

// Sends an error. A 0.3 client that asked for a stream sees the code of an error only if the error is an event of the
// stream.
function sendFailure(
  response: Response,
  { body: failure, event: named, status, headers }: Failure,
  call: Call | undefined,
): void {
  const name = named === undefined ? "" : `event: ${named}\n`;
  const event = `${name}data: ${JSON.stringify(failure)}\n\n`;
  if (response.headersSent) {
    response.end(event);
  } else if (status !== undefined) {
    response.set(headers).status(status).json(failure);
  } else if (call?.isStreaming === true && SERVER_TRAITS[call.version].sendsErrorsAsEvents) {
    response.type("text/event-stream").send(event);
  } else {
    response.json(failure);
  }
}
