import type { AgentEvent, StampedEvent } from "@dt/schema";

/** The open tasks of a session: those with work to do, and those that wait for an answer. */
export interface TaskActivity {
  /** Applies the next event of the log. */
  advance(event: AgentEvent & Pick<StampedEvent, "taskId" | "state">): void;
  /** True if a task is submitted or working. */
  isUnfinished(taskId: string): boolean;
  /** True if a turn works: a task is unfinished, and none waits for an answer. */
  readonly isBusy: boolean;
  /** True if no task is unfinished and none waits for an answer. */
  readonly isIdle: boolean;
}

/** Ids of the open tasks of a stored session. */
export interface OpenTasks {
  /** Tasks that are submitted or working. */
  readonly unfinished: readonly string[];
  /** Tasks that wait for an answer. */
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
    // A session runs one turn at a time, so while one waits for an answer, the others wait too.
    get isBusy() {
      return unfinished.size > 0 && asking.size === 0;
    },
    get isIdle() {
      return unfinished.size === 0 && asking.size === 0;
    },
  };
}

/** Returns true if the task waits for an answer after this event. */
function isAsking(event: AgentEvent): boolean {
  return event.kind === "STATE_CHANGE" && (event.waiting ?? []).length > 0;
}
