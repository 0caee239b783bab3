import { setImmediate } from "node:timers/promises";
import {
  emptyTaskView,
  isInterruptedState,
  isTaskState,
  type JsonObject,
  type TaskView,
} from "@dt/schema";
import { decodeListParams, encodeTaskPage, type ListParams } from "@dt/schema/wire";
import { cursorsOf } from "../../log/cursor.js";
import { readTaskView } from "../../log/views/read-task-view.js";
import type { TaskRecord } from "../../store/session-store.js";
import { shortenTaskPage } from "../../store/task-page.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { admitToSession, dialectOf } from "./shared-session.js";
import { listerOf, type TaskLister } from "./task-lister.js";

/** Approximate maximum size of a page. A task may have a long history and large artifacts. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * `tasks/list`, `ListTasks`: lists the tasks of the caller in pages, the latest change first. With the
 * id of a session that is shared with the caller, it lists the tasks of this session.
 */
export async function tasksList(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { shared } = context;
  const lister = listerOf(context);
  const list = decodeListParams(params, context.spelling);
  const { contextId, state, since, pageSize, pageToken } = list;
  if (context.live !== undefined && contextId === undefined) return await listLive(params, context);
  // A live endpoint lists only the tasks of its shared session.
  const live = (await shared?.())?.host.session;
  const isElsewhere = live !== undefined && (contextId ?? live.contextId) !== live.contextId;
  // Some states of A2A are never used by our tasks. The list is empty for such a state.
  const isForeign = state !== undefined && !isTaskState(state);
  if (isElsewhere || isForeign)
    return { type: "result", result: encodeTaskPage({ tasks: [], pageSize, totalSize: 0 }) };
  const listed = live?.contextId ?? contextId;
  const found = await lister.listTasks({
    owner: live?.owner ?? (await findOwner(contextId, lister, context)),
    limit: pageSize,
    ...(listed !== undefined && { contextId: listed }),
    ...(state !== undefined && { state }),
    ...(since !== undefined && { since }),
    ...(pageToken !== undefined && { after: pageToken }),
  });
  const tasks = await readTasks(found.tasks, { list, lister, context });
  const page = shortenTaskPage(found, tasks.length);
  const { next, total: totalSize } = page;
  return {
    type: "result",
    result: encodeTaskPage({
      tasks,
      pageSize,
      totalSize,
      ...(next !== undefined && { nextPageToken: next }),
    }),
  };
}

/**
 * Finds the owner of the tasks to list: the caller, or the owner of the named session if it is shared with the caller.
 */
async function findOwner(
  contextId: string | undefined,
  lister: TaskLister,
  context: RpcContext,
): Promise<string> {
  const { caller, sessions } = context;
  const session = contextId === undefined ? undefined : await lister.findSession(contextId);
  if (session === undefined || session.owner === caller.user) return caller.user;
  if ((await sessions.roleOn(session, caller)) === undefined) return caller.user;
  await admitToSession(session, context);
  return session.owner;
}

/** Lists the latest tasks of several live sessions, in one page. */
async function listLive(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const sessions = (await context.live?.all()) ?? [];
  const list = decodeListParams(params, context.spelling);
  const lister = listerOf(context);
  const { state, since, pageSize } = list;
  const pages = await Promise.all(
    sessions.map(({ host: { session } }) =>
      state !== undefined && !isTaskState(state)
        ? { tasks: [] }
        : lister.listTasks({
            owner: session.owner,
            contextId: session.contextId,
            limit: pageSize,
            ...(state !== undefined && { state }),
            ...(since !== undefined && { since }),
          }),
    ),
  );
  const latest = pages
    .flatMap(({ tasks }) => tasks)
    .sort((one, other) => other.updatedAt.localeCompare(one.updatedAt))
    .slice(0, pageSize);
  const tasks = await readTasks(latest, { list, lister, context });
  return {
    type: "result",
    result: encodeTaskPage({ tasks, pageSize, totalSize: tasks.length }),
  };
}

interface Reading {
  readonly list: ListParams;
  readonly lister: TaskLister;
  readonly context: RpcContext;
}

/** Reads the tasks of a page, up to {@link MAX_PAGE_BYTES}. */
async function readTasks(
  records: readonly TaskRecord[],
  reading: Reading,
): Promise<readonly JsonObject[]> {
  const tasks: JsonObject[] = [];
  let bytes = 0;
  for (const record of records) {
    if (bytes >= MAX_PAGE_BYTES) break;
    const task = await readListedTask(record, reading);
    tasks.push(task);
    bytes += Buffer.byteLength(JSON.stringify(task));
  }
  return tasks;
}

async function readListedTask(record: TaskRecord, options: Reading): Promise<JsonObject> {
  const { list, lister, context } = options;
  // In a list, tasks have no history by default.
  const { historyLength = 0, includesArtifacts } = list;
  const needsEvents = historyLength > 0 || includesArtifacts || hasStatusMessage(record);
  // Lets other work run between long tasks.
  if (needsEvents) await setImmediate();
  const view = needsEvents ? await readTaskView(lister, record) : headOf(record);
  const { artifacts, ...task } = dialectOf(record, context).encodeTask(view, {
    historyLength,
  });
  return includesArtifacts ? { ...task, artifacts: artifacts ?? [] } : task;
}

// Returns true if the status of a task has a message, which must be folded from events.
function hasStatusMessage({ state }: TaskRecord): boolean {
  return isInterruptedState(state) || state === "failed" || state === "rejected";
}

function headOf(record: TaskRecord): TaskView {
  const { taskId, contextId, state, updatedAt, lastPosition: position, epoch } = record;
  const cursor = cursorsOf(record).encode({ position, epoch });
  return { ...emptyTaskView(taskId, contextId), state, at: updatedAt, cursor };
}
