import {
  isTerminalState,
  isUnfinished,
  reduceSessionView,
  type SessionEvent,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import { createListeners } from "../../events/listeners.js";
import { promptsIn } from "./conversation-reader.js";
import { continueView } from "./session-view.js";
import { createUnseenPrompts } from "./unseen-prompts.js";

/** Everything that a handle knows about its session. It does no I/O. */
export interface KnownSession {
  readonly view: TaskView;
  /** The task that began last. */
  readonly taskId: string;
  readonly isEnded: boolean;
  /** True if nothing is left that a loop waits for. */
  readonly isDone: boolean;
  /** The tasks that a loop waits for. */
  readonly own: readonly string[];
  /** True if a prompt of this handle waits, or has not come back as an event. */
  readonly isAwaited: boolean;
  /** Calls back when the view changes; returns a function that stops it. */
  readonly onChange: (listener: () => void) => () => void;
  /** True for a prompt that the first view had already. */
  isHeld(event: SessionEvent): boolean;
  /** Takes the next event into account. */
  take(event: SessionEvent): void;
  /** Takes a task into account, as it is now. */
  note(task: Pick<TaskView, "taskId" | "state">): void;
  /** Replaces the view by a snapshot. */
  replace(snapshot: TaskView): void;
  /** Takes a prompt into account that this handle has sent; the view was `before` then. */
  sent(next: TaskView, before: TaskView): void;
  /** Gives up prompts that have left the queue without a turn. */
  settle(): void;
}

/** Creates the knowledge of a handle that begins with a view. */
export function createKnownSession(start: TaskView): KnownSession {
  const changes = createListeners<void>();
  const held = new Set(promptsIn(start));
  const unseen = createUnseenPrompts();
  /** States of the tasks that were heard of. */
  const states = new Map<string, TaskState>([[start.taskId, start.state]]);
  /** The task that a loop began with, and those that this handle prompted. */
  const own = new Set([start.taskId]);
  let view = start;
  let { taskId } = start;

  function setView(next: TaskView): void {
    view = next;
    changes.tell();
  }

  function note(task: Pick<TaskView, "taskId" | "state">): void {
    if (!states.has(task.taskId)) taskId = task.taskId;
    states.set(task.taskId, task.state);
    if (isTerminalState(task.state)) own.delete(task.taskId);
  }

  const isEnded = (id: string) => isTerminalState(states.get(id) ?? "submitted");

  return {
    get view() {
      return view;
    },
    get taskId() {
      return taskId;
    },
    get isEnded() {
      return isEnded(taskId);
    },
    get isDone() {
      return unseen.size === 0 && [...own].every(isEnded);
    },
    get own() {
      return [...own];
    },
    get isAwaited() {
      return unseen.size > 0 || view.queue.some(({ messageId }) => held.has(messageId));
    },
    onChange: changes.add,
    isHeld: (event) => event.kind === "USER_PROMPT" && held.has(event.messageId),
    take(event) {
      if (event.kind === "STATE_CHANGE") note(event);
      // A task of A2A 0.3 that had ended goes on, and its first events may still say that it had.
      else if (event.kind === "USER_PROMPT" || !states.has(event.taskId)) {
        note({ taskId: event.taskId, state: "submitted" });
      }
      if (unseen.saw(event)) own.add(event.taskId);
      setView(reduceSessionView(view, event));
    },
    note,
    replace(snapshot) {
      note(snapshot);
      setView(snapshot);
    },
    sent(next, before) {
      own.add(next.taskId);
      if (!states.has(next.taskId)) {
        note(next);
        // Shown at once; announced when its turn begins.
        if (!isUnfinished(view)) {
          const { cursor } = view;
          setView({ ...continueView(view, next), ...(cursor !== undefined && { cursor }) });
        }
      } else if (view === before && view.taskId === next.taskId) {
        setView({ ...view, state: next.state });
      }
      unseen.expect(next, view);
    },
    settle: unseen.settle,
  };
}
