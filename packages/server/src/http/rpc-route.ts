import type { IncomingMessage } from "node:http";
import { type Caller, isProtocolError } from "@dt/schema";
import {
  parseRpcRequest,
  type RpcId,
  rpcFailure,
  rpcIdOf,
  rpcSuccess,
  SERVER_TRAITS,
} from "@dt/schema/wire";
import type { RequestHandler, Response } from "express";
import { type Call, dispatch } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { echoExtensions, readCallInfo } from "./call-info.js";
import { closeSignal } from "./close-signal.js";
import { runCall } from "./run-call.js";
import { sendSse } from "./sse-response.js";

/** Options of {@link rpcRoute}. */
export interface RpcRouteOptions {
  readonly services: RpcServices;
  authenticate(request: IncomingMessage): Caller;
  /** Called with faults of the server. */
  onFault(reason: unknown): void;
  /** Interval of heartbeats on a stream without events, in ms. Default: 15,000. */
  readonly heartbeatMs?: number;
}

/** Serves JSON-RPC over HTTP. The answer is JSON or server-sent events. */
export function rpcRoute(options: RpcRouteOptions): RequestHandler {
  const { services, authenticate, onFault, heartbeatMs } = options;
  return async (request, response) => {
    const gone = closeSignal(response);
    let id: RpcId = rpcIdOf(request.body);
    let call: Call | undefined;
    try {
      const rpcRequest = parseRpcRequest(request.body);
      id = rpcRequest.id;
      const info = readCallInfo(request, authenticate(request), {
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
      sendFailure(response, id, reason, call);
    }
  };
}

/** Returns the text around each frame of a stream of JSON-RPC results. */
export function resultEnvelope(id: RpcId): { readonly prefix: string; readonly suffix: string } {
  return { prefix: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, suffix: "}" };
}

// A 0.3 client that asked for a stream sees the code of an error only if the error is an event of the stream.
function sendFailure(response: Response, id: RpcId, reason: unknown, call: Call | undefined): void {
  const encoded = call?.dialect.encodeError(reason, id);
  const failure = encoded?.body ?? rpcFailure(id, reason);
  const name = encoded?.event === undefined ? "" : `event: ${encoded.event}\n`;
  const event = `${name}data: ${JSON.stringify(failure)}\n\n`;
  if (response.headersSent) {
    response.end(event);
  } else if (call?.isStreaming === true && SERVER_TRAITS[call.version].sendsErrorsAsEvents) {
    response.type("text/event-stream").send(event);
  } else {
    response.json(failure);
  }
}
