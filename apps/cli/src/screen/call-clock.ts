import { type TaskView, ToolCallStatus } from "@dt/schema";

/** How long things take, as this screen has seen it. */
export interface CallClock {
  /** Looks at what runs now. */
  observe(view: TaskView, isBusy: boolean): void;
  /** How long a call runs, or has run; undefined where it was never seen to run. */
  durationMs(toolCallId: string): number | undefined;
  /** How long the agent has been at it; undefined while it rests. */
  busyMs(): number | undefined;
}

/** Ended calls are remembered until they are printed; these are enough. */
const mostEnded = 500;

/** A clock by which calls and turns are measured. */
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
        if (ended.size <= mostEnded) break;
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
