import { emptyTaskView, type JsonObject, ProtocolError, type TaskView } from "@dt/schema";
import { decodeListParams, encodeTaskPage, type ListParams, toTaskState } from "@dt/schema/wire";
import { cursorsOf } from "../log/cursor.js";
import { readTaskView } from "../log/read-task-view.js";
import type { TaskRecord } from "../store/session-store.js";
import { spellTask } from "./encode-frames.js";
import type { RpcContext, RpcOutcome } from "./rpc-context.js";
import type { TaskLister } from "./task-lister.js";

/** `tasks/list`, `ListTasks`: the caller's tasks, the one that changed last first, page by page. */
export async function tasksList(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { tasks: lister, shared, principal } = context;
  if (lister === undefined) {
    throw new ProtocolError("unsupported-operation", "this agent does not list tasks");
  }
  const list = decodeListParams(params, context.spelling);
  const { contextId, state, since, pageSize, pageToken } = list;
  // On a live endpoint everyone shares the terminal's session, and sees no other of it.
  const live = (await shared?.())?.host.session;
  const isElsewhere = live !== undefined && (contextId ?? live.contextId) !== live.contextId;
  if (isElsewhere)
    return { type: "result", result: encodeTaskPage({ tasks: [], pageSize, totalSize: 0 }) };
  const listed = live?.contextId ?? contextId;
  const page = await lister.listTasks({
    owner: live?.owner ?? principal.principal,
    limit: pageSize,
    ...(listed !== undefined && { contextId: listed }),
    ...(state !== undefined && { state: toTaskState(state) }),
    ...(since !== undefined && { since }),
    ...(pageToken !== undefined && { after: pageToken }),
  });
  const tasks = await Promise.all(
    page.tasks.map((record) => listedTask(record, { list, lister, context })),
  );
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

async function listedTask(
  record: TaskRecord,
  options: { list: ListParams; lister: TaskLister; context: RpcContext },
): Promise<JsonObject> {
  const { list, lister, context } = options;
  // A list shows no history unless it is asked to.
  const { historyLength = 0, includesArtifacts } = list;
  const needsEvents = historyLength > 0 || includesArtifacts || hasMore(record);
  const view = needsEvents ? await readTaskView(lister, record) : headOf(record);
  const { artifacts, ...task } = spellTask(view, context, historyLength);
  return includesArtifacts ? { ...task, artifacts: artifacts ?? [] } : task;
}

// A question or a failure has something to say beside its state.
function hasMore({ state }: TaskRecord): boolean {
  return state === "input-required" || state === "failed";
}

function headOf(record: TaskRecord): TaskView {
  const { taskId, contextId, state, updatedAt, lastSeq } = record;
  const cursor = cursorsOf(record).encode(lastSeq);
  return { ...emptyTaskView(taskId, contextId), state, at: updatedAt, cursor };
}
