import { type TaskView, ToolCallStatus } from "@dt/schema";

/** Measures how long tool calls run and how long the agent is busy. */
export interface CallClock {
  /** Records which calls run now, and whether the agent is busy. */
  observe(view: TaskView, isBusy: boolean): void;
  /** Returns the running time of a call; undefined if the call did not run while this screen was open. */
  durationMs(toolCallId: string): number | undefined;
  /** Returns the time since the agent became busy; undefined while the agent is idle. */
  busyMs(): number | undefined;
}

/** Maximum number of ended calls whose running time is stored. */
const MAX_ENDED_CALLS = 500;

/** Creates a clock; `now` is a monotonic clock in milliseconds. */
export function createCallClock(now: () => number): CallClock {
  const started = new Map<string, number>();
  const ended = new Map<string, number>();
  let busySince: number | undefined;
  return {
    observe(view, isBusy) {
      busySince = isBusy ? (busySince ?? now()) : undefined;
      const running = new Set<string>();
      for (const { toolCallId, status } of view.openCalls) {
        if (status !== ToolCallStatus.EXECUTING) continue;
        running.add(toolCallId);
        if (!started.has(toolCallId)) started.set(toolCallId, now());
      }
      for (const [toolCallId, since] of started) {
        if (running.has(toolCallId)) continue;
        started.delete(toolCallId);
        ended.set(toolCallId, now() - since);
      }
      for (const oldest of ended.keys()) {
        if (ended.size <= MAX_ENDED_CALLS) break;
        ended.delete(oldest);
      }
    },
    durationMs(toolCallId) {
      const since = started.get(toolCallId);
      return since === undefined ? ended.get(toolCallId) : now() - since;
    },
    busyMs: () => (busySince === undefined ? undefined : now() - busySince),
  };
}
