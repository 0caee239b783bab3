import { openQuestions, type TaskState, type TaskView } from "@dt/schema";
import type { OpenTasks } from "../log/task-activity.js";
import { readTaskView } from "../log/views/read-task-view.js";
import type { SessionRecord, SessionStore, TaskRecord } from "../store/session-store.js";

/** The open tasks of a stored session. A task that waits for the next prompt is not open. */
export interface OpenTaskViews {
  /** Tasks that a restart interrupted, or that wait for their turn. */
  readonly unfinished: readonly TaskView[];
  /** Tasks that wait for an answer. */
  readonly asking: readonly TaskView[];
}

/** Reads the open tasks of a session from the store. */
export async function readOpenTasks(
  session: SessionRecord,
  store: SessionStore,
): Promise<OpenTaskViews> {
  const read = async (state: TaskState) =>
    await Promise.all(
      (await listTasks(session, state, store)).map((task) => readTaskView(store, task)),
    );
  const [submitted, working, inputRequired] = await Promise.all([
    read("submitted"),
    read("working"),
    read("input-required"),
  ]);
  // A shared task is input-required between turns too, but without a question.
  const asking = inputRequired.filter((view) => openQuestions(view).length > 0);
  return { unfinished: [...submitted, ...working], asking };
}

/** Reduces open tasks to their ids. */
export function toOpenTasks({ unfinished, asking }: OpenTaskViews): OpenTasks {
  const ids = (views: readonly TaskView[]) => views.map(({ taskId }) => taskId);
  return { unfinished: ids(unfinished), asking: ids(asking) };
}

/** Returns true if a stored session waits for an answer. */
export async function hasStoredQuestion(contextId: string, store: SessionStore): Promise<boolean> {
  const session = await store.findSession(contextId);
  if (session === undefined) return false;
  return (await readOpenTasks(session, store)).asking.length > 0;
}

async function listTasks(
  { owner, contextId }: SessionRecord,
  state: TaskState,
  store: SessionStore,
): Promise<readonly TaskRecord[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  return (await store.listTasks({ owner, contextId, state, limit })).tasks;
}
