import type { AgentEvent, StampedEvent } from "@dt/schema";

/** The tasks of a session that have work to do or wait for an answer. */
export interface TaskActivity {
  /** Takes the next event of the log into account. */
  advance(event: AgentEvent & Pick<StampedEvent, "taskId" | "state">): void;
  /** True if a task is submitted or working. */
  isUnfinished(taskId: string): boolean;
  /** True if a turn works: some task is unfinished, and none asks. */
  readonly isBusy: boolean;
  /** True if no task is unfinished and none asks. */
  readonly isIdle: boolean;
}

/** The tasks of a stored session, by their ids. */
export interface OpenTasks {
  /** Those that are submitted or working. */
  readonly unfinished: readonly string[];
  /** Those that wait for an answer. */
  readonly asking: readonly string[];
}

/** Creates the activity of a session from its open tasks. It does no I/O. */
export function createTaskActivity(open: OpenTasks): TaskActivity {
  const unfinished = new Set(open.unfinished);
  const asking = new Set(open.asking);
  return {
    advance(event) {
      const { taskId, state } = event;
      if (state === "submitted" || state === "working") unfinished.add(taskId);
      else unfinished.delete(taskId);
      if (isAsking(event)) asking.add(taskId);
      else if (event.kind === "STATE_CHANGE" || state !== "input-required") asking.delete(taskId);
    },
    isUnfinished: (taskId) => unfinished.has(taskId),
    // Turns come one by one: while one waits for an answer, the others wait behind it.
    get isBusy() {
      return unfinished.size > 0 && asking.size === 0;
    },
    get isIdle() {
      return unfinished.size === 0 && asking.size === 0;
    },
  };
}

/** True if an event asks: its task waits for an answer from then on. */
function isAsking(event: AgentEvent): boolean {
  return event.kind === "STATE_CHANGE" && (event.waiting ?? []).length > 0;
}
