import {
  advanceReply,
  emptyTaskView,
  isTerminalState,
  isWaitingState,
  type JsonObject,
  type OpenAgentOptions,
  type Receipt,
  reduceTaskView,
  type StampedEvent,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import type { ExecutorPrompt, ExecutorRecord } from "./executor-journal.js";
import type { TaskProgress, TaskStep } from "./to-agent-events.js";

/** Options of a {@link TaskRecorder}. */
export interface TaskRecorderOptions extends Pick<OpenAgentOptions, "contextId" | "ledger"> {
  /** Promises of the session's calls to `ledger.append` that have not settled yet. */
  readonly commits: Set<Promise<unknown>>;
  now(): Date;
  /** Called when the task waits or has ended, before its new state is stored. */
  onRested(state: TaskState): void;
}

/** Journal records of one append. `prompt` is set if the append accepts a prompt. */
export interface RecordedEntry {
  readonly journal?: readonly ExecutorRecord[];
  readonly prompt?: ExecutorPrompt;
}

/**
 * Appends the events of one task. The ledger numbers events when `append` is called, so they are stored in the order in
 * which the executor published them.
 */
export class TaskRecorder {
  /** The task with all events so far, stored or not. */
  view: TaskView;
  private reply: ReturnType<typeof advanceReply> = "none";
  private readonly taskId: string;
  private readonly options: TaskRecorderOptions;

  constructor(taskId: string, options: TaskRecorderOptions) {
    this.taskId = taskId;
    this.options = options;
    this.view = emptyTaskView(taskId, options.contextId);
  }

  get progress(): TaskProgress {
    const { state, artifacts = [] } = this.view;
    return { state, artifacts, isTextLast: this.reply === "open" };
  }

  /** Appends events of a turn. Resolves, once they are stored, with the position before them. */
  async append(turn: number, steps: readonly TaskStep[], entry: RecordedEntry): Promise<number> {
    const { ledger, contextId, commits, now, onRested } = this.options;
    const { taskId } = this;
    const at = now().toISOString();
    const before = this.view.state;
    const events = steps.map((step): StampedEvent => ({ ...step, taskId, turn, at }));
    for (const event of events) {
      const seen = { ...event, contextId };
      this.view = reduceTaskView(this.view, seen);
      this.reply = advanceReply(this.reply, seen);
    }
    if (events.some(isRest)) onRested(this.view.state);
    const { journal = [], prompt } = entry;
    const moved = journal.length > 0 ? journal : this.recordMove(before, turn, events);
    const stored = ledger.append({
      events,
      // The cast is safe, because the records are plain data.
      journal: moved as readonly object[] as readonly JsonObject[],
      ...(prompt !== undefined && { receipt: receiptOf(prompt) }),
    });
    commits.add(stored);
    try {
      return await stored;
    } finally {
      commits.delete(stored);
    }
  }

  /** Resolves when all current appends of the session are stored or have failed. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.options.commits);
  }

  private recordMove(
    before: TaskState,
    turn: number,
    events: readonly StampedEvent[],
  ): readonly ExecutorRecord[] {
    const { taskId, view } = this;
    const { state } = view;
    if (events.some(isRest)) {
      const rested = { type: "rested", taskId, state } as const;
      return [isTerminalState(state) ? rested : { ...rested, view }];
    }
    return isWaitingState(before) && !isWaitingState(state)
      ? [{ type: "resumed", taskId, turn }]
      : [];
  }
}

function isRest({ kind, state }: StampedEvent): boolean {
  return kind === "STATE_CHANGE" && isWaitingState(state);
}

function receiptOf({ user, messageId, taskId, turn, digest }: ExecutorPrompt): Receipt {
  return { user, messageId, taskId, turn, ...(digest !== undefined && { digest }) };
}
