import type { TaskState } from "@dt/schema";
import type { SessionStore, TaskRecord } from "../session-store.js";
import { buildTaskPage, decodePageToken, type TaskQuery } from "../task-page.js";
import { type MemoryState, receiptKey } from "./memory-state.js";

/** The methods of a store that read tasks and receipts. */
export type TaskQueries = Pick<
  SessionStore,
  "findTask" | "listTasks" | "countTasks" | "findReceipt" | "listUnfinished"
>;

/** Creates the methods that read tasks and receipts in memory. `checkOpen` throws if the store is closed. */
export function createTaskQueries(
  state: Pick<MemoryState, "tasks" | "receipts">,
  checkOpen: () => void,
): TaskQueries {
  const { tasks } = state;

  async function read<TValue>(work: () => TValue): Promise<TValue> {
    checkOpen();
    return work();
  }

  return {
    findTask: (taskId) => read(() => tasks.get(taskId)),
    listTasks: (query) => read(() => listTasks([...tasks.values()], query)),
    countTasks: (owner) =>
      read(() => {
        const counted = [...tasks.values()].filter((task) => task.owner === (owner ?? task.owner));
        const active = counted.filter(({ state }) => isUnfinished(state)).length;
        return { active, total: counted.length };
      }),
    findReceipt: (user, messageId) =>
      read(() => state.receipts.get(receiptKey({ user, messageId }))),
    listUnfinished: () => read(() => listUnfinishedContexts(tasks.values())),
  };
}

function listTasks(tasks: readonly TaskRecord[], query: TaskQuery) {
  const fitting = tasks.filter((task) => matches(task, query)).sort(byChange);
  const end = query.after === undefined ? undefined : decodePageToken(query.after);
  const rest = end ? fitting.filter((task) => byChange(end, task) < 0) : fitting;
  return buildTaskPage(rest, { limit: query.limit, total: fitting.length });
}

function matches(task: TaskRecord, { owner, contextId, state, since }: TaskQuery): boolean {
  return (
    task.owner === owner &&
    (contextId === undefined || task.contextId === contextId) &&
    (state === undefined || task.state === state) &&
    (since === undefined || task.updatedAt >= since)
  );
}

// Orders tasks: the latest change comes first. If two changed at the same time, the higher id comes first.
function byChange(
  left: Pick<TaskRecord, "updatedAt" | "taskId">,
  right: Pick<TaskRecord, "updatedAt" | "taskId">,
): number {
  if (left.updatedAt !== right.updatedAt) return left.updatedAt > right.updatedAt ? -1 : 1;
  if (left.taskId === right.taskId) return 0;
  return left.taskId > right.taskId ? -1 : 1;
}

/** Lists the sessions in which a task is submitted or working. */
export function listUnfinishedContexts(tasks: Iterable<TaskRecord>): string[] {
  const unfinished = [...tasks].filter((task) => isUnfinished(task.state));
  return [...new Set(unfinished.map((task) => task.contextId))];
}

function isUnfinished(state: TaskState): boolean {
  return state === "submitted" || state === "working";
}
