import {
  isTerminalState,
  type JsonObject,
  type Origin,
  type PromptContent,
  type TaskState,
  type TaskView,
} from "@dt/schema";

/** A prompt that was accepted, with its turn and its sender. */
export interface ExecutorPrompt extends PromptContent {
  readonly turn: number;
  readonly user: string;
  readonly origin: Origin;
}

/** One journal record of an executor's session. A restart restores the session from these records. */
export type ExecutorRecord =
  /** A prompt waits until the current turn of its task ends. */
  | { readonly type: "queued"; readonly prompt: ExecutorPrompt }
  | { readonly type: "withdrawn"; readonly messageId: string }
  /** The turn of a prompt began. */
  | {
      readonly type: "started";
      readonly taskId: string;
      readonly turn: number;
      readonly messageId: string;
    }
  /** A task continued without a prompt. */
  | { readonly type: "resumed"; readonly taskId: string; readonly turn: number }
  /** A task has ended, or waits for a client. The view is stored only if the task waits. */
  | {
      readonly type: "rested";
      readonly taskId: string;
      readonly state: TaskState;
      readonly view?: TaskView;
    };

/** A session as its journal describes it. */
export interface RestoredSession {
  /** Number of the newest turn. */
  readonly turns: number;
  /** Tasks whose turn a restart interrupted, with the number of that turn. */
  readonly interrupted: ReadonlyMap<string, number>;
  /** Tasks that wait for a client. */
  readonly waiting: ReadonlyMap<string, TaskView>;
  readonly queue: readonly ExecutorPrompt[];
}

/** Folds the journal of a session. */
export function restoreSession(journal: readonly JsonObject[]): RestoredSession {
  let turns = 0;
  let queue: readonly ExecutorPrompt[] = [];
  const interrupted = new Map<string, number>();
  const waiting = new Map<string, TaskView>();
  const dequeue = (messageId: string) => queue.filter((each) => each.messageId !== messageId);
  // The cast is safe, because only the code in this folder writes the journal of an executor's session.
  for (const record of journal as unknown as readonly ExecutorRecord[]) {
    switch (record.type) {
      case "queued":
        queue = [...queue, record.prompt];
        turns = Math.max(turns, record.prompt.turn);
        break;
      case "withdrawn":
        queue = dequeue(record.messageId);
        break;
      case "started":
        queue = dequeue(record.messageId);
        turns = Math.max(turns, record.turn);
        interrupted.set(record.taskId, record.turn);
        waiting.delete(record.taskId);
        break;
      case "resumed":
        interrupted.set(record.taskId, record.turn);
        waiting.delete(record.taskId);
        break;
      case "rested":
        interrupted.delete(record.taskId);
        if (record.view === undefined || isTerminalState(record.state)) {
          waiting.delete(record.taskId);
        } else waiting.set(record.taskId, record.view);
    }
  }
  return { turns, interrupted, waiting, queue };
}
