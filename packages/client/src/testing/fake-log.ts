import {
  emptyTaskView,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  START_CURSOR,
  type TaskView,
} from "@dt/schema";

/** Events of one fake session, in order. */
export interface FakeLog {
  /** Number of events. */
  readonly size: number;
  append(event: SessionEvent): void;
  /** Finds a task, folded from its events. */
  findView(taskId: string): TaskView | undefined;
  /** Returns all tasks, the most recently changed one first. */
  views(): readonly TaskView[];
  /** Returns the position of a cursor; throws if the cursor belongs to another log. */
  positionOf(cursor: string): number;
  /** Yields all events after a position, including future events, until `signal` aborts. */
  follow(after: number, signal: AbortSignal): AsyncGenerator<SessionEvent, void, undefined>;
}

/** Creates an empty log. */
export function createFakeLog(contextId: string): FakeLog {
  const events: SessionEvent[] = [];
  const views = new Map<string, TaskView>();
  const wakes = new Set<() => void>();

  return {
    get size() {
      return events.length;
    },
    append(event) {
      const logged = { ...event, cursor: `${events.length + 1}.${contextId}` };
      const { taskId } = logged;
      events.push(logged);
      const before = views.get(taskId) ?? emptyTaskView(taskId, contextId);
      views.delete(taskId);
      views.set(taskId, reduceTaskView(before, logged));
      for (const wake of [...wakes]) wake();
    },
    findView: (taskId) => views.get(taskId),
    views: () => [...views.values()].reverse(),
    positionOf(cursor) {
      if (cursor === START_CURSOR) return 0;
      const [position = "", session] = cursor.split(".");
      if (session === contextId && Number(position) <= events.length) return Number(position);
      throw new ProtocolError(
        "cursor-not-found",
        `the cursor ${cursor} is not one of this session`,
      );
    },
    async *follow(after, signal) {
      let position = after;
      while (!signal.aborted) {
        const next = events[position];
        if (next !== undefined) {
          position += 1;
          yield next;
          continue;
        }
        await new Promise<void>((resolve) => {
          const wake = () => {
            wakes.delete(wake);
            signal.removeEventListener("abort", wake);
            resolve();
          };
          wakes.add(wake);
          signal.addEventListener("abort", wake);
        });
      }
    },
  };
}
