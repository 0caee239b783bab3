import { failAt, isObject, type JsonObject, ProtocolError } from "@dt/schema";
import { decodeGuideTask, guideDialect, parseRpcRequest, rpcSuccess } from "@dt/schema/wire";
import { type Request, type RequestHandler, Router } from "express";
import { checkRole } from "../access/auth/role-table.js";
import { checkOwnWorkspace } from "../access/workspace-roots.js";
import { dispatch } from "../rpc/dispatch.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import { admitRequest, callerOf } from "./admit-request.js";
import { skipIfEmpty, toProtocolError } from "./body-parser.js";
import { readCallInfo } from "./call-info.js";
import { closeSignal } from "./close-signal.js";
import { encodeEarlyError, errorRoute, refuseMethod } from "./error-route.js";
import { type RpcRouteOptions, resultEnvelope } from "./rpc-route.js";
import { runCall } from "./run-call.js";
import { sendSse } from "./sse-response.js";

/** Options of {@link guideRoutes}. */
export interface GuideRouteOptions extends RpcRouteOptions {
  readonly readBody: readonly RequestHandler[];
}

/**
 * Creates the routes below `/tasks`, which return the shared task and accept messages to it. Errors have an HTTP
 * status, such as 404 for an unknown task. (guide of the live endpoint, section 2)
 */
export function guideRoutes(options: GuideRouteOptions): Router {
  const { readBody } = options;
  const router = Router();
  router.use(admitRequest(options));
  router.post("/", ...readBody.map(skipIfEmpty), taskRoute(options));
  router.post(
    "/:taskId/messages/stream",
    ...readBody,
    messageRoute(options, () => true),
  );
  router.post(
    "/:taskId/messages",
    ...readBody,
    messageRoute(options, ({ headers }) => headers.accept?.includes("text/event-stream") === true),
  );
  for (const path of ["/", "/:taskId/messages/stream", "/:taskId/messages"]) {
    router.all(path, refuseMethod("POST", encodeEarlyError));
  }
  // Errors are handled in this router, because Express calls the outer handler later, when a stopping server may have
  // closed the socket.
  router.use(errorRoute(options.onFault, guideDialect));
  return router;
}

/** `POST /tasks`: answers with the task that all clients share. */
function taskRoute({ services }: GuideRouteOptions): RequestHandler {
  return async (request, response) => {
    checkRole(callerOf(request), "create-task");
    const { workspacePath, isBareId } = decodeGuideTask(request.body ?? {});
    const { host, taskId } = await getShared(services);
    if (workspacePath !== undefined)
      await checkOwnWorkspace(workspacePath, {
        own: host.session.settings.workspacePath,
        roots: services.workspaceRoots,
        advice: "leave the field out to use it",
      });
    response.status(201);
    if (isBareId) {
      response.json(taskId);
      return;
    }
    const { contextId } = host.session;
    const { state } = await host.log.view(taskId);
    response.json({ id: taskId, taskId, contextId, sessionId: contextId, state });
  };
}

function messageRoute(
  { services, onFault, heartbeatMs }: GuideRouteOptions,
  wantsStream: (request: Request) => boolean,
): RequestHandler {
  return async (request, response) => {
    const gone = closeSignal(response);
    const info = readCallInfo(request, callerOf(request), {
      signal: gone,
      credentials: services.credentials,
    });
    const { taskId, host } = await getShared(services);
    const frameId = host.session.contextId;
    if (request.params.taskId !== taskId) {
      throw new ProtocolError("task-not-found", `there is no task ${request.params.taskId}`);
    }
    const method = wantsStream(request) ? "message/stream" : "message/send";
    const params = readParams(request.body, taskId);
    const call = dispatch({ id: null, method, params }, { ...info, version: "0.3" }, services);
    try {
      const outcome = await runCall(call, response, heartbeatMs);
      if (outcome.type === "result") {
        response.json(rpcSuccess(frameId, outcome.result));
        return;
      }
      const { batches } = outcome;
      await sendSse(response, { batches, signal: gone, ...resultEnvelope(frameId), heartbeatMs });
    } catch (reason) {
      if (!response.headersSent) throw reason;
      const error = toProtocolError(reason);
      if (error.code === "internal") onFault(reason);
      const { body } = guideDialect.encodeError(error, frameId);
      response.end(`data: ${JSON.stringify(body)}\n\n`);
    }
  };
}

async function getShared({ shared }: RpcServices): Promise<SharedSession> {
  const session = await shared?.();
  if (session === undefined) throw new ProtocolError("task-not-found", "no session is shared here");
  return session;
}

/** Reads the parameters from a body. The body is a JSON-RPC request, or only its parameters. */
function readParams(body: unknown, taskId: string): JsonObject {
  const params = isObject(body) && "jsonrpc" in body ? paramsOf(body) : body;
  if (!isObject(params) || !isObject(params.message)) {
    failAt("message", "expected an object");
  }
  const { message } = params;
  if ((message.taskId ?? taskId) !== taskId) {
    failAt("message.taskId", `expected ${taskId}, as in the URL`);
  }
  return { ...params, message: { ...message, taskId } };
}

function paramsOf(body: JsonObject): unknown {
  const { method, params } = parseRpcRequest(body);
  if (method === "message/stream" || method === "message/send") return params;
  throw new ProtocolError("method-not-found", `there is no method ${method} here`);
}
