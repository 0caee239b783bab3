import type { TaskState } from "@dt/schema";
import { findLastPrompt } from "../last-prompt.js";
import type {
  EventQuery,
  LogEvent,
  SessionStore,
  StoredSession,
  TaskRecord,
} from "../session-store.js";
import { buildTaskPage, decodePageToken, type TaskQuery } from "../task-page.js";
import { type MemorySession, type MemoryState, receiptKey } from "./memory-state.js";

/** The methods of a memory store that read. */
export type MemoryReader = Pick<
  SessionStore,
  | "findSession"
  | "listSessions"
  | "findTask"
  | "listTasks"
  | "countTasks"
  | "findReceipt"
  | "readEvents"
  | "findView"
  | "readJournal"
  | "listUnfinished"
  | "listUntouched"
>;

/** Creates the reading methods of a memory store. `checkOpen` throws if the store is closed. */
export function createMemoryReader(state: MemoryState, checkOpen: () => void): MemoryReader {
  const { sessions, tasks } = state;

  async function read<TValue>(work: () => TValue): Promise<TValue> {
    checkOpen();
    return work();
  }

  return {
    findSession: (contextId) =>
      read(() => {
        const kept = sessions.get(contextId);
        return kept === undefined ? undefined : toStored(kept);
      }),
    listSessions: ({ owner, workspacePath, limit }) =>
      read(() =>
        [...sessions.values()]
          .map(toStored)
          .filter((stored) => stored.owner === owner && stored.lastPrompt !== undefined)
          .filter(
            ({ settings }) => settings.workspacePath === (workspacePath ?? settings.workspacePath),
          )
          .sort(byUse)
          .slice(0, limit),
      ),
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
    readEvents: (query) => read(() => readPage(sessions.get(query.contextId)?.events ?? [], query)),
    findView: (taskId) => read(() => state.views.get(taskId)),
    readJournal: (contextId) => read(() => [...(sessions.get(contextId)?.journal ?? [])]),
    listUnfinished: () => read(() => unfinishedContexts(tasks.values())),
    listUntouched: (since) =>
      read(() => {
        const running = new Set(unfinishedContexts(tasks.values()));
        return [...sessions]
          .filter(([contextId, kept]) => kept.lastActiveAt < since && !running.has(contextId))
          .map(([contextId]) => contextId);
      }),
  };
}

function toStored(kept: MemorySession): StoredSession {
  const { record, events, lastActiveAt, epoch, commitNumber } = kept;
  const lastPrompt = findLastPrompt(events);
  return {
    ...record,
    lastPosition: events.length,
    epoch,
    commitNumber,
    lastActiveAt,
    ...(lastPrompt !== undefined && { lastPrompt }),
  };
}

function listTasks(tasks: readonly TaskRecord[], query: TaskQuery) {
  const fitting = tasks.filter((task) => matches(task, query)).sort(byChange);
  const end = query.after === undefined ? undefined : decodePageToken(query.after);
  const rest = end ? fitting.filter((task) => byChange(end, task) < 0) : fitting;
  return buildTaskPage(rest, { limit: query.limit, total: fitting.length });
}

// Reads a page of events. `maxBytes` is ignored, because events are not copied and a smaller page saves no memory.
function readPage(
  events: readonly LogEvent[],
  { after, limit, taskId, kinds }: EventQuery,
): readonly LogEvent[] {
  if (taskId === undefined) return events.slice(after, after + limit);
  const page: LogEvent[] = [];
  for (let index = after; index < events.length && page.length < limit; index += 1) {
    const logged = events[index];
    if (logged?.event.taskId !== taskId) continue;
    if (logged.position > (kinds?.upTo ?? logged.position)) break;
    if (kinds === undefined || kinds.only.includes(logged.event.kind)) page.push(logged);
  }
  return page;
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

// Orders sessions: the latest use comes first. If two were used at the same time, the higher id comes first.
function byUse(left: StoredSession, right: StoredSession): number {
  const [one, other] = [left, right].map((each) => each.lastActiveAt + each.contextId);
  return (one ?? "") > (other ?? "") ? -1 : 1;
}

function unfinishedContexts(tasks: Iterable<TaskRecord>): string[] {
  const unfinished = [...tasks].filter((task) => isUnfinished(task.state));
  return [...new Set(unfinished.map((task) => task.contextId))];
}

function isUnfinished(state: TaskState): boolean {
  return state === "submitted" || state === "working";
}
