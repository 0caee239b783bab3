import { openQuestions, type TaskState, type TaskView } from "@dt/schema";
import type { PendingTasks } from "../log/task-activity.js";
import { readTaskView } from "../log/views/read-task-view.js";
import type { SessionRecord, SessionStore, TaskRecord } from "../store/session-store.js";

/** The tasks of a stored session that have work to do or wait for an answer. */
export interface PendingTaskViews {
  /** Tasks that a restart interrupted, or that wait for their turn. */
  readonly unfinished: readonly TaskView[];
  /** Tasks that wait for an answer. */
  readonly asking: readonly TaskView[];
}

/** Reads the pending tasks of a session from the store. */
export async function readPendingTasks(
  session: SessionRecord,
  store: SessionStore,
): Promise<PendingTaskViews> {
  const read = async (state: TaskState) =>
    await Promise.all(
      (await listTasks(session, state, store)).map((task) => readTaskView(store, task)),
    );
  const [submitted, working, inputRequired] = await Promise.all([
    read("submitted"),
    read("working"),
    read("input-required"),
  ]);
  // The open task of a live session is input-required between turns too, but without a question.
  const asking = inputRequired.filter((view) => openQuestions(view).length > 0);
  return { unfinished: [...submitted, ...working], asking };
}

/** Reduces pending tasks to their ids. */
export function toPendingTasks({ unfinished, asking }: PendingTaskViews): PendingTasks {
  const ids = (views: readonly TaskView[]) => views.map(({ taskId }) => taskId);
  return { unfinished: ids(unfinished), asking: ids(asking) };
}

/** Returns true if a stored session waits for an answer. */
export async function hasStoredQuestion(contextId: string, store: SessionStore): Promise<boolean> {
  const session = await store.findSession(contextId);
  if (session === undefined) return false;
  return (await readPendingTasks(session, store)).asking.length > 0;
}

async function listTasks(
  { owner, contextId }: SessionRecord,
  state: TaskState,
  store: SessionStore,
): Promise<readonly TaskRecord[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  return (await store.listTasks({ owner, contextId, state, limit })).tasks;
}
