import { type JsonObject, ProtocolError } from "@dt/schema";
import { encodeListedTask } from "@dt/schema/wire";
import { readWholeTask } from "../../log/views/read-whole-task.js";
import { decodePageToken } from "../../store/task-page.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { listerOf } from "../tasks/task-lister.js";

/** Maximum and default number of tasks on a page. */
const MAX_PAGE_TASKS = 100;

/** Parameters in the query of a URL. */
export interface ReferenceQuery {
  readonly limit?: string;
  readonly after?: string;
  readonly historyLength?: string;
}

/**
 * `GET /tasks/:taskId`: returns a task with its whole history, unless `historyLength` limits it. (server
 * reference, "HTTP API")
 */
export async function getReferenceTask(
  taskId: string,
  { historyLength }: ReferenceQuery,
  context: RpcContext,
): Promise<RpcOutcome> {
  const { sessions, caller, dialect } = context;
  const limit = historyLength === undefined ? undefined : readCount("historyLength", historyLength);
  const { task } = await sessions.getTask(taskId, caller);
  const view = await readWholeTask(listerOf(context), task);
  const options = limit === undefined ? {} : { historyLength: limit };
  return { type: "result", result: dialect.encodeTask(view, options) };
}

/** `GET /tasks`: lists the tasks of the caller in pages, the latest change first. (server reference, "HTTP API") */
export async function listReferenceTasks(
  { limit, after }: ReferenceQuery,
  context: RpcContext,
): Promise<RpcOutcome> {
  const count = limit === undefined ? MAX_PAGE_TASKS : readCount("limit", limit);
  if (count === 0) throw fault("limit", "expected a whole number of at least 1");
  if (after !== undefined) checkToken(after);
  const { tasks, next } = await listerOf(context).listTasks({
    owner: context.caller.user,
    limit: Math.min(count, MAX_PAGE_TASKS),
    ...(after !== undefined && { after }),
  });
  const result: JsonObject = {
    tasks: tasks.map(encodeListedTask),
    ...(next !== undefined && { next }),
  };
  return { type: "result", result };
}

function readCount(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw fault(name, "expected a whole number");
}

function checkToken(after: string): void {
  try {
    decodePageToken(after);
  } catch {
    throw fault("after", "expected the `next` of an earlier page");
  }
}

function fault(path: string, problem: string): ProtocolError {
  return new ProtocolError("invalid-message", `${path}: ${problem}`, { data: { path } });
}
