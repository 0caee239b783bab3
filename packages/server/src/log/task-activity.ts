import type { AgentEvent, StampedEvent } from "@dt/schema";

/** Tracks which tasks of a session have work to do, and which wait for an answer. */
export interface TaskActivity {
  /** Applies the next event of the log. */
  advance(event: AgentEvent & Pick<StampedEvent, "taskId" | "state">): void;
  /** Returns true if the task is submitted or working. */
  isUnfinished(taskId: string): boolean;
  /** True if a turn runs: a task is unfinished, and no task waits for an answer. */
  readonly isBusy: boolean;
  /** True if no task is submitted, working or waiting for an answer. */
  readonly isIdle: boolean;
}

/** Ids of the tasks of a session that have work to do or wait for an answer. */
export interface PendingTasks {
  /** Tasks that are submitted or working. */
  readonly unfinished: readonly string[];
  /** Tasks that wait for an answer. */
  readonly asking: readonly string[];
}

/** Creates the activity of a session from its pending tasks. It does no I/O. */
export function createTaskActivity(pending: PendingTasks): TaskActivity {
  return new PendingTaskActivity(pending);
}

class PendingTaskActivity implements TaskActivity {
  private readonly unfinished: Set<string>;
  private readonly asking: Set<string>;

  constructor(pending: PendingTasks) {
    this.unfinished = new Set(pending.unfinished);
    this.asking = new Set(pending.asking);
  }

  advance(event: AgentEvent & Pick<StampedEvent, "taskId" | "state">): void {
    const { taskId, state } = event;
    if (state === "submitted" || state === "working") this.unfinished.add(taskId);
    else this.unfinished.delete(taskId);
    if (isAsking(event)) this.asking.add(taskId);
    else if (event.kind === "STATE_CHANGE" || state !== "input-required")
      this.asking.delete(taskId);
  }

  isUnfinished(taskId: string): boolean {
    return this.unfinished.has(taskId);
  }

  // While one task of a session waits for an answer, the turns of its other tasks wait too.
  get isBusy(): boolean {
    return this.unfinished.size > 0 && this.asking.size === 0;
  }

  get isIdle(): boolean {
    return this.unfinished.size === 0 && this.asking.size === 0;
  }
}

/** Returns true if the task waits for an answer after this event. */
function isAsking(event: AgentEvent): boolean {
  return event.kind === "STATE_CHANGE" && (event.waiting ?? []).length > 0;
}
