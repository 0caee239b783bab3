import { findLastPrompt } from "../last-prompt.js";
import type { EventQuery, LogEvent, SessionStore, StoredSession } from "../session-store.js";
import type { MemorySession, MemoryState } from "./memory-state.js";
import { createTaskQueries, listUnfinishedContexts } from "./task-queries.js";

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
  const { sessions } = state;

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
    ...createTaskQueries(state, checkOpen),
    readEvents: (query) => read(() => readPage(sessions.get(query.contextId)?.events ?? [], query)),
    findView: (taskId) => read(() => state.views.get(taskId)),
    readJournal: (contextId) => read(() => [...(sessions.get(contextId)?.journal ?? [])]),
    listUntouched: (since) =>
      read(() => {
        const running = new Set(listUnfinishedContexts(state.tasks.values()));
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

/** Orders sessions: the latest use comes first. If two were used at the same time, the higher id comes first. */
export function byUse(left: StoredSession, right: StoredSession): number {
  const [one, other] = [left, right].map((each) => each.lastActiveAt + each.contextId);
  return (one ?? "") > (other ?? "") ? -1 : 1;
}
