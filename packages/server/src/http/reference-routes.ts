import { isObject, ProtocolError } from "@dt/schema";
import { referenceDialect } from "@dt/schema/wire";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { type CallInfo, createCall, dispatch, type MethodCall } from "../rpc/dispatch.js";
import { createReferenceTask } from "../rpc/reference/create-task.js";
import {
  getReferenceTask,
  listReferenceTasks,
  type ReferenceQuery,
} from "../rpc/reference/read-tasks.js";
import type { RpcContext, RpcOutcome } from "../rpc/rpc-context.js";
import { admitRequest, callerOf } from "./admit-request.js";
import { skipIfEmpty, toProtocolError } from "./body-parser.js";
import { firstValue, readCallInfo } from "./call-info.js";
import { errorRoute, refuseMethod } from "./error-route.js";
import type { RpcRouteOptions } from "./rpc-route.js";
import { runCall } from "./run-call.js";
import { sendSse } from "./sse-response.js";

/** Options of {@link referenceRoutes}. */
export interface ReferenceRouteOptions extends RpcRouteOptions {
  readonly readBody: readonly RequestHandler[];
}

/**
 * Creates the routes of the server reference, which are `/tasks` and the paths below it. (server reference, "HTTP
 * API")
 */
export function referenceRoutes(options: ReferenceRouteOptions): Router {
  const { readBody } = options;
  const router = Router();
  router.use(admitRequest(options));
  router.post("/", ...readBody.map(skipIfEmpty), answerRoute(CREATE, options));
  router.get("/", answerRoute(LIST, options));
  router.all("/", refuseMethod("GET, POST", encodeFault));
  router.post("/:taskId/execute", ...readBody, executeRoute(options));
  router.all("/:taskId/execute", refuseMethod("POST", encodeFault));
  router.get("/:taskId", answerRoute(GET, options));
  router.all("/:taskId", refuseMethod("GET", encodeFault));
  router.use(() => {
    throw new ProtocolError("method-not-found", "there is nothing at this address");
  });
  router.use(errorRoute(options.onFault, referenceDialect));
  return router;
}

/** A route whose answer is one JSON value. */
interface AnsweredRoute extends Pick<MethodCall, "name" | "operation"> {
  readonly status: number;
  run(request: Request, context: RpcContext): Promise<RpcOutcome>;
}

const CREATE: AnsweredRoute = {
  name: "create-task",
  operation: "send",
  status: 201,
  run: ({ body = {} }, context) => createReferenceTask(body, context),
};
const LIST: AnsweredRoute = {
  name: "list",
  operation: "list",
  status: 200,
  run: ({ query }, context) => listReferenceTasks(readQuery(query), context),
};
const GET: AnsweredRoute = {
  name: "get",
  operation: "get",
  status: 200,
  run: ({ params, query }, context) =>
    getReferenceTask(firstValue(params.taskId) ?? "", readQuery(query), context),
};

function answerRoute(
  { name, operation, status, run }: AnsweredRoute,
  options: ReferenceRouteOptions,
): RequestHandler {
  return async (request, response) => {
    const { info } = openCall(request, response, options);
    const method: MethodCall["method"] = (_, context) => run(request, context);
    const called = { ...LIKE_A2A, name, operation, params: undefined, method };
    const outcome = await createCall(called, info, options.services).run();
    if (outcome.type === "result") response.status(status).json(outcome.result);
  };
}

/** `POST /tasks/:taskId/execute` */
function executeRoute(options: ReferenceRouteOptions): RequestHandler {
  const { services, heartbeatMs, onFault } = options;
  return async (request, response) => {
    const { info, signal } = openCall(request, response, options);
    const { body } = request;
    const taskId = firstValue(request.params.taskId) ?? "";
    const params = isObject(body) ? { ...body, taskId } : body;
    // An unreadable message and an unknown task are answered with a status, before the stream opens.
    referenceDialect.decodeMessage(params);
    await services.sessions.getTask(taskId, info.caller);
    const call = dispatch({ id: null, method: "message/stream", params }, info, services);
    // Only a prompt may wait for its turn. An answer is accepted or refused at once, with a status.
    const isPrompt = isObject(body) && body.message !== undefined;
    try {
      const outcome = isPrompt ? await runCall(call, response, heartbeatMs) : await call.run();
      if (outcome.type === "result") throw new Error("expected a stream");
      await sendSse(response, { batches: outcome.batches, signal, heartbeatMs });
    } catch (reason) {
      if (!response.headersSent) throw reason;
      const error = toProtocolError(reason);
      if (error.code === "internal") onFault(reason);
      const failure = { type: "error", ...referenceDialect.encodeError(error, null).body };
      response.end(`event: error\ndata: ${JSON.stringify(failure)}\n\n`);
    }
  };
}

/** The server reference has no versions, so the version of A2A here has no effect. */
const LIKE_A2A = { version: "0.3" } as const;

function openCall(
  request: Request,
  response: Response,
  { services }: ReferenceRouteOptions,
): { readonly info: CallInfo; readonly signal: AbortSignal } {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { signal } = gone;
  const { credentials } = services;
  const info = readCallInfo(request, callerOf(request), { signal, credentials });
  return { info: { ...info, ...LIKE_A2A, family: referenceDialect.name }, signal };
}

/** Reads the query. A parameter that is given twice is refused. */
function readQuery(query: Request["query"]): ReferenceQuery {
  const entries = Object.entries(query);
  const twice = entries.find(([, value]) => typeof value !== "string");
  if (twice === undefined) return Object.fromEntries(entries) as ReferenceQuery;
  const [path] = twice;
  throw new ProtocolError("invalid-message", `${path}: expected one value`, { data: { path } });
}

const encodeFault = (error: ProtocolError) => referenceDialect.encodeError(error, null).body;
