import { type JsonObject, ProtocolError } from "@dt/schema";
import { METHOD_NAMES, type Operation, type StreamFrame } from "@dt/schema/wire";
import {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import { retryHeaders } from "../../access/rates/retry-headers.js";
import { dispatch, readVersion } from "../../rpc/dispatch.js";
import type { RpcOutcome } from "../../rpc/rpc-context.js";
import { admitRequest, callerOf } from "../admit-request.js";
import { toProtocolError } from "../body-parser.js";
import { echoExtensions, readCallInfo } from "../call-info.js";
import { closeSignal } from "../close-signal.js";
import { refuseMethod } from "../error-route.js";
import { type RpcRouteOptions, resultEnvelope } from "../rpc-route.js";
import { runCall } from "../run-call.js";
import { sendSse } from "../sse-response.js";
import type { RestBinding } from "./rest-binding.js";

/** Creates the routes of an HTTP+JSON binding; each runs one operation of the dispatcher. */
export function restRoutes(
  binding: RestBinding,
  options: RpcRouteOptions & { readonly readBody: readonly RequestHandler[] },
): Router {
  const router = Router();
  router.use(admitRequest(options));
  const { routes } = binding;
  for (const [index, [verb, path, operation, readParams = () => ({})]] of routes.entries()) {
    const handlers = verb === "post" ? options.readBody.map(skipIfEmpty) : [];
    // Without this route, Express would serve HEAD like GET and open a stream.
    if (operation === "subscribe") router.head(path, refuseOthers(path, binding));
    router[verb](path, ...handlers, restRoute(binding, { operation, readParams }, options));
    if (!routes.slice(index + 1).some(([, next]) => next === path))
      router.all(path, refuseOthers(path, binding));
  }
  router.use(() => {
    throw new ProtocolError("method-not-found", "there is nothing at this address");
  });
  router.use(restErrors(binding, options.onFault));
  return router;
}

// Skips the body parser if a request has its task in the URL and no body. Such a request has no content type.
function skipIfEmpty(readBody: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (length === "0" && encoding === undefined && request.params.taskId !== undefined) next();
    else readBody(request, response, next);
  };
}

function refuseOthers(path: string, { routes, encodeNotAllowed }: RestBinding): RequestHandler {
  const verbs = routes.flatMap(([verb, each]) => (each === path ? [verb.toUpperCase()] : []));
  const refuse = refuseMethod(verbs.join(", "), encodeNotAllowed);
  return (request, response, next) => {
    // A colon separates the id of a task from an operation. No route matched the operation, so the answer
    // is 404, not 405.
    const { taskId = "" } = request.params;
    if (taskId.includes(":")) next();
    else refuse(request, response, next);
  };
}

function restRoute(
  binding: RestBinding,
  {
    operation,
    readParams,
  }: { readonly operation: Operation; readParams(request: Request): JsonObject },
  { services, heartbeatMs }: RpcRouteOptions,
): RequestHandler {
  return async (request, response) => {
    const gone = closeSignal(response);
    const info = readCallInfo(request, callerOf(request), {
      signal: gone,
      credentials: services.credentials,
    });
    const version = checkVersion(info.version, binding);
    const method = METHOD_NAMES[version][operation];
    const params = readParams(request);
    const call = dispatch({ id: null, method, params }, { ...info, version }, services);
    echoExtensions(response, call);
    const outcome = await runCall(call, response, heartbeatMs);
    if (outcome.type === "result") {
      response.json(binding.encodeResult(operation, outcome.result));
    } else {
      await sendSse(response, { ...sseOf(outcome, binding), signal: gone, heartbeatMs });
    }
  };
}

// A binding without `encodeFrame` sends frames as they are, except frames of the guide, which are JSON-RPC
// results on every route.
function sseOf(
  { batches, frameId }: RpcOutcome & { type: "stream" },
  { encodeFrame }: RestBinding,
) {
  if (encodeFrame !== undefined) return { batches: encodeBatches(batches, encodeFrame) };
  return { batches, ...(frameId !== undefined && resultEnvelope(frameId)) };
}

async function* encodeBatches(
  batches: AsyncIterable<readonly StreamFrame[]>,
  encodeFrame: (frame: StreamFrame) => StreamFrame,
): AsyncGenerator<readonly StreamFrame[]> {
  for await (const frames of batches) yield frames.map(encodeFrame);
}

/** Returns the version of the binding. Throws if a request asks for another version. */
function checkVersion(named: string | undefined, { version }: RestBinding): RestBinding["version"] {
  if ((readVersion(named) ?? version) === version) return version;
  throw new ProtocolError("version-not-supported", `this address supports only A2A ${version}`);
}

function restErrors(
  { encodeError }: RestBinding,
  onFault: (reason: unknown) => void,
): ErrorRequestHandler {
  return (reason: unknown, _request, response: Response, _next) => {
    const error = toProtocolError(reason);
    if (error.code === "internal") onFault(reason);
    const { httpStatus, body } = encodeError(error);
    if (!response.headersSent) {
      response.set(retryHeaders(error)).status(httpStatus).json(body);
    } else response.end(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
  };
}
