import { isObject, type JsonObject, ProtocolError } from "@dt/schema";
import { encodeRestError, METHOD_NAMES, type Operation } from "@dt/schema/wire";
import {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import { dispatch } from "../rpc/dispatch.js";
import type { RpcOutcome } from "../rpc/rpc-context.js";
import { toProtocolError } from "./body-parser.js";
import { echoExtensions, readCallInfo } from "./call-info.js";
import { closeSignal } from "./close-signal.js";
import { refuseMethod } from "./error-route.js";
import { type RpcRouteOptions, resultEnvelope } from "./rpc-route.js";
import { runCall } from "./run-call.js";
import { sendSse } from "./sse-response.js";

/** One route of the binding: verb, path, operation, and a function that reads its parameters. */
type Route = readonly [
  "get" | "post" | "delete",
  string,
  Operation,
  ((request: Request) => JsonObject)?,
];

const taskId = ({ params }: Request): JsonObject => ({ id: params.taskId });
const taskConfig = ({ params }: Request): JsonObject => ({ ...params, id: params.configId });
const taskConfigs = (request: Request): JsonObject => ({
  ...readQuery(request),
  ...taskConfig(request),
});
// The task in the URL overrides that of the body.
const newConfig = ({ params, body }: Request): JsonObject =>
  isObject(body) ? { ...body, taskId: params.taskId } : body;

const ROUTES: readonly Route[] = [
  ["post", "/message\\:send", "send", ({ body }) => body],
  ["post", "/message\\:stream", "stream", ({ body }) => body],
  ["get", "/tasks", "list", (request) => readQuery(request)],
  ["get", "/tasks/:taskId\\:subscribe", "subscribe", taskId],
  ["post", "/tasks/:taskId\\:subscribe", "subscribe", taskId],
  ["post", "/tasks/:taskId\\:cancel", "cancel", taskId],
  ["get", "/tasks/:taskId", "get", (request) => ({ ...readQuery(request), ...taskId(request) })],
  ["post", "/tasks/:taskId/pushNotificationConfigs", "set-push-config", newConfig],
  ["get", "/tasks/:taskId/pushNotificationConfigs", "list-push-configs", taskConfigs],
  ["get", "/tasks/:taskId/pushNotificationConfigs/:configId", "get-push-config", taskConfig],
  ["delete", "/tasks/:taskId/pushNotificationConfigs/:configId", "delete-push-config", taskConfig],
  ["get", "/extendedAgentCard", "extended-card"],
  ["get", "/card", "extended-card"],
];

/** Creates the routes of A2A 1.0's HTTP+JSON binding; each runs one operation of the dispatcher. */
export function restRoutes(
  options: RpcRouteOptions & { readonly readBody: readonly RequestHandler[] },
): Router {
  const router = Router();
  for (const [index, [verb, path, operation, readParams = () => ({})]] of ROUTES.entries()) {
    const handlers = verb === "post" ? options.readBody.map(skipIfEmpty) : [];
    // Without this, Express would serve HEAD like GET and open a stream.
    if (operation === "subscribe") router.head(path, refuseOthers(path));
    router[verb](path, ...handlers, restRoute(operation, readParams, options));
    if (!ROUTES.slice(index + 1).some(([, next]) => next === path))
      router.all(path, refuseOthers(path));
  }
  router.use(() => {
    throw new ProtocolError("method-not-found", "there is nothing at this address");
  });
  router.use(restErrors(options.onFault));
  return router;
}

// Skips the parser of bodies if there is no body. A request that names its task in the URL may have none, and then it
// has no content type.
function skipIfEmpty(readBody: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (length === "0" && encoding === undefined && request.params.taskId !== undefined) next();
    else readBody(request, response, next);
  };
}

function refuseOthers(path: string): RequestHandler {
  const verbs = ROUTES.flatMap(([verb, each]) => (each === path ? [verb.toUpperCase()] : []));
  const refuse = refuseMethod(verbs.join(", "), encodeNotAllowed);
  return (request, response, next) => {
    // A colon separates the id of a task from an action. This action does not exist.
    const { taskId = "" } = request.params;
    if (taskId.includes(":")) next();
    else refuse(request, response, next);
  };
}

function encodeNotAllowed(error: ProtocolError): JsonObject {
  const { status: _, ...rest } = encodeRestError(error).body.error as JsonObject;
  return { error: { ...rest, code: 405, status: "UNIMPLEMENTED" } };
}

function restRoute(
  operation: Operation,
  readParams: (request: Request) => JsonObject,
  { services, authenticate, heartbeatMs }: RpcRouteOptions,
): RequestHandler {
  return async (request, response) => {
    const gone = closeSignal(response);
    const { version, ...info } = readCallInfo(request, authenticate(request), {
      signal: gone,
      credentials: services.credentials,
    });
    if (version?.startsWith("0.")) {
      throw new ProtocolError("version-not-supported", "the REST binding supports only A2A 1.0");
    }
    const rpcRequest = {
      id: null,
      method: METHOD_NAMES["1.0"][operation],
      params: readParams(request),
    };
    const call = dispatch(rpcRequest, { ...info, version: version ?? "1.0" }, services);
    echoExtensions(response, call);
    const outcome = await runCall(call, response, heartbeatMs);
    // ProtoJSON has no null at the top level, so an empty result is an empty object.
    if (outcome.type === "result") response.json(outcome.result ?? {});
    else await sendSse(response, { ...sseOf(outcome), signal: gone, heartbeatMs });
  };
}

// Returns the options of a stream. The REST binding sends frames as they are. Frames of the guide are JSON-RPC results
// on every route.
function sseOf({ batches, frameId }: RpcOutcome & { type: "stream" }) {
  return { batches, ...(frameId !== undefined && resultEnvelope(frameId)) };
}

function restErrors(onFault: (reason: unknown) => void): ErrorRequestHandler {
  return (reason: unknown, _request, response: Response, _next) => {
    const error = toProtocolError(reason);
    if (error.code === "internal") onFault(reason);
    const { httpStatus, body } = encodeRestError(error);
    if (!response.headersSent) response.status(httpStatus).json(body);
    else response.end(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
  };
}

// Reads the parameters of a method from the query. Query values are text, so booleans are converted here. The method
// checks all values. Names such as A2A-Version stand for headers and are left out.
function readQuery({ query }: Request): JsonObject {
  const read = (key: string, value: unknown): unknown => {
    if (key !== "includeArtifacts" && key !== "include_artifacts") return value;
    return value === "true" || (value === "false" ? false : value);
  };
  return Object.fromEntries(
    Object.entries(query)
      .filter(([key]) => !/^(a2a|x)-/i.test(key))
      .map(([key, value]) => [key, read(key, value)]),
  );
}
