import type { ProtocolError } from "@dt/schema";
import { notesDialect } from "@dt/schema/wire";
import { type Request, type RequestHandler, Router } from "express";
import type { Right } from "../../access/auth/role-table.js";
import { checkWorkspace } from "../../access/workspace-roots.js";
import { dispatch } from "../../rpc/dispatch.js";
import { executeNotesCommand, listNotesCommands } from "../../rpc/notes/notes-commands.js";
import { getMetadata, listMetadata, type MetadataPage } from "../../rpc/notes/read-metadata.js";
import type { RpcContext, RpcOutcome } from "../../rpc/rpc-context.js";
import { admitRequest } from "../admit-request.js";
import { firstValue } from "../call-info.js";
import { errorRoute, refuseMethod } from "../error-route.js";
import { resultEnvelope } from "../rpc-route.js";
import { runCall } from "../run-call.js";
import { sendSse } from "../sse-response.js";
import { type NotesRouteOptions, openCall, runMethod, streamOrReport } from "./notes-call.js";
import { readPageQuery, readText } from "./read-query.js";

/** The paths of the routes. */
const PATHS = [
  "/message/stream",
  "/tasks/metadata",
  "/tasks/:taskId/metadata",
  "/listCommands",
  "/executeCommand",
];

/** Creates the routes of the protocol notes. (protocol notes, API endpoints) */
export function notesRoutes(options: NotesRouteOptions): Router {
  const { readBody } = options;
  const router = Router();
  // Requests of other routes pass through this router, so only these paths are authenticated here.
  router.use(PATHS, admitRequest(options));
  router.post("/message/stream", ...readBody, messageRoute(options));
  router.all("/message/stream", refuseMethod("POST", encodeFault));
  router.get("/tasks/metadata", listRoute(options));
  router.all("/tasks/metadata", refuseMethod("GET", encodeFault));
  router.get(
    "/tasks/:taskId/metadata",
    resultRoute(options, "get-metadata", ({ params }, context) =>
      getMetadata(firstValue(params.taskId) ?? "", context),
    ),
  );
  router.all("/tasks/:taskId/metadata", refuseMethod("GET", encodeFault));
  router.get(
    "/listCommands",
    resultRoute(options, "list-commands", ({ query }, context) =>
      listNotesCommands(readText(query, "contextId"), context),
    ),
  );
  router.all("/listCommands", refuseMethod("GET", encodeFault));
  router.post("/executeCommand", ...readBody, commandRoute(options));
  router.all("/executeCommand", refuseMethod("POST", encodeFault));
  router.use(errorRoute(options.onFault, notesDialect));
  return router;
}

/** `POST /message/stream` */
function messageRoute(options: NotesRouteOptions): RequestHandler {
  const { services, heartbeatMs } = options;
  return async (request, response) => {
    const { info, signal } = openCall(request, response, options);
    const { body } = request;
    // Faults of the request are found before the stream begins, so that each gets its own HTTP status.
    const { taskId, content } = notesDialect.decodeMessage(body);
    if (taskId !== undefined) await services.sessions.getTask(taskId, info.caller);
    const isPrompt = content.type === "prompt";
    if (isPrompt && content.settings !== undefined)
      await checkWorkspace(content.settings.workspacePath, services.workspaceRoots);
    const call = dispatch({ id: null, method: "message/stream", params: body }, info, services);
    await streamOrReport(response, options, async () => {
      // Only a prompt may wait for its turn. An answer is accepted or refused at once.
      const outcome = isPrompt ? await runCall(call, response, heartbeatMs) : await call.run();
      if (outcome.type === "result") throw new Error("expected a stream");
      await sendSse(response, { batches: outcome.batches, signal, heartbeatMs });
    });
  };
}

/** `POST /executeCommand` */
function commandRoute(options: NotesRouteOptions): RequestHandler {
  const { heartbeatMs } = options;
  return async (request, response) => {
    const { info, signal } = openCall(request, response, options);
    const outcome = await runMethod(options, info, {
      name: "execute-command",
      method: (context) => executeNotesCommand(request.body, context),
    });
    if (outcome.type === "result") {
      response.json(outcome.result);
      return;
    }
    const { batches, frameId = null } = outcome;
    const stream = { batches, signal, heartbeatMs, ...resultEnvelope(frameId) };
    await streamOrReport(response, options, () => sendSse(response, stream));
  };
}

/** `GET /tasks/metadata`; the header `Link` has the address of the next page. */
function listRoute(options: NotesRouteOptions): RequestHandler {
  return async (request, response) => {
    const { info } = openCall(request, response, options);
    const page = readPageQuery(request.query);
    const outcome = await runMethod(options, info, {
      name: "list-metadata",
      method: (context) => listMetadata(page, context),
    });
    const { tasks, next } = resultOf(outcome) as MetadataPage;
    if (next !== undefined) {
      const query = new URLSearchParams({ ...toText(page), after: next });
      response.setHeader("Link", `</tasks/metadata?${query}>; rel="next"`);
    }
    response.json(tasks);
  };
}

function toText({ limit }: { readonly limit?: number }): Record<string, string> {
  return limit === undefined ? {} : { limit: String(limit) };
}

function resultRoute(
  options: NotesRouteOptions,
  name: Right,
  method: (request: Request, context: RpcContext) => Promise<RpcOutcome>,
): RequestHandler {
  return async (request, response) => {
    const { info } = openCall(request, response, options);
    const run = (context: RpcContext) => method(request, context);
    response.json(resultOf(await runMethod(options, info, { name, method: run })));
  };
}

function resultOf(outcome: RpcOutcome): unknown {
  return outcome.type === "result" ? outcome.result : undefined;
}

const encodeFault = (error: ProtocolError) => notesDialect.encodeError(error, null).body;
