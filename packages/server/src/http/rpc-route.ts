import type { IncomingMessage } from "node:http";
import type { Principal } from "@dt/schema";
import { ProtocolError } from "@dt/schema";
import { parseRpcRequest, type RpcId, rpcFailure, rpcIdOf, rpcSuccess } from "@dt/schema/wire";
import type { Request, RequestHandler, Response } from "express";
import { type Call, dispatch } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { sendSse } from "./sse-response.js";

/** What the route needs beside the methods' services. */
export interface RpcRouteOptions {
  readonly services: RpcServices;
  authenticate(request: IncomingMessage): Principal;
  /** Told of faults that are ours. */
  onFault(reason: unknown): void;
}

/** JSON-RPC over HTTP: a body in; JSON or server-sent events out. */
export function rpcRoute({ services, authenticate, onFault }: RpcRouteOptions): RequestHandler {
  return async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    let id: RpcId = rpcIdOf(request.body);
    let call: Call | undefined;
    try {
      const rpcRequest = parseRpcRequest(request.body);
      id = rpcRequest.id;
      call = dispatch(rpcRequest, callInfo(request, authenticate(request), gone.signal), services);
      echoExtensions(response, call);
      const outcome = await call.run();
      if (outcome.type === "result") response.json(rpcSuccess(id, outcome.result));
      else await sendSse(response, id, outcome.batches, gone.signal);
    } catch (reason) {
      if (!(reason instanceof ProtocolError)) onFault(reason);
      sendFailure(response, id, reason, call);
    }
  };
}

function callInfo(request: Request, principal: Principal, signal: AbortSignal) {
  const extensions = [request.header("A2A-Extensions"), request.header("X-A2A-Extensions")]
    .flatMap((header) => header?.split(",") ?? [])
    .map((uri) => uri.trim());
  return {
    principal,
    signal,
    extensions,
    version: request.header("A2A-Version"),
    after: request.header("Last-Event-ID"),
  };
}

// On streams too, before the first byte: a client must know what it gets.
function echoExtensions(response: Response, { activation, version }: Call): void {
  const active = [
    activation.developmentTool ? activation.uris.developmentTool : "",
    activation.session ? activation.uris.session : "",
  ].filter((uri) => uri !== "");
  if (active.length === 0) return;
  response.setHeader(version === "1.0" ? "A2A-Extensions" : "X-A2A-Extensions", active.join(", "));
}

// A 0.3 client loses the code of an error that does not come as an event of the stream it wanted.
function sendFailure(response: Response, id: RpcId, reason: unknown, call: Call | undefined): void {
  const failure = rpcFailure(id, reason);
  if (response.headersSent) {
    response.end(`data: ${JSON.stringify(failure)}\n\n`);
  } else if (call?.isStreaming === true && call.version === "0.3") {
    response.type("text/event-stream").send(`data: ${JSON.stringify(failure)}\n\n`);
  } else {
    response.json(failure);
  }
}
