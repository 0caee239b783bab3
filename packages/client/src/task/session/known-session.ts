import {
  isTerminalState,
  isUnfinished,
  reduceSessionView,
  type SessionEvent,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import { createListeners } from "../../events/listeners.js";
import { promptIdsIn } from "./conversation-reader.js";
import { continueView } from "./session-view.js";
import { createUnseenPrompts } from "./unseen-prompts.js";

/** State of a session as one handle knows it. Its methods do no I/O. */
export interface KnownSession {
  readonly view: TaskView;
  /** Id of the task that began last. */
  readonly taskId: string;
  readonly isEnded: boolean;
  /**
   * True if a loop over the events of this handle can end: no task of {@link own} is open, and the
   * event of every sent prompt has arrived.
   */
  readonly isDone: boolean;
  /** Ids of the open tasks among the first task and the tasks that this handle has prompted. */
  readonly own: readonly string[];
  /**
   * True if a prompt in the first view is still queued, or if the event of a prompt that was sent later has
   * not arrived yet.
   */
  readonly isPending: boolean;
  /** Adds a listener of the view; returns a function that removes it. */
  readonly onChange: (listener: () => void) => () => void;
  /** True for a prompt that the first view contained. */
  isInFirstView(event: SessionEvent): boolean;
  /** Applies the next event. */
  apply(event: SessionEvent): void;
  /** Records the state of a task. */
  setState(task: Pick<TaskView, "taskId" | "state">): void;
  /** Replaces the view with a snapshot. */
  replace(snapshot: TaskView): void;
  /** Records that a prompt of this handle was accepted, with the parameters of `ConversationReader.sent`. */
  sent(next: TaskView, before: TaskView, isSteering?: boolean): void;
  /** Forgets prompts that have left the queue without a turn. */
  settle(): void;
}

/** Creates the state of a handle that begins with a view. */
export function createKnownSession(start: TaskView): KnownSession {
  const changes = createListeners<void>();
  const firstPromptIds = new Set(promptIdsIn(start));
  const unseen = createUnseenPrompts();
  /** States of the known tasks. */
  const states = new Map<string, TaskState>([[start.taskId, start.state]]);
  /** Ids of the open tasks that this handle began with or prompted. */
  const own = new Set([start.taskId]);
  let view = start;
  let { taskId } = start;

  function setView(next: TaskView): void {
    view = next;
    changes.notify();
  }

  function setState(task: Pick<TaskView, "taskId" | "state">): void {
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
    get isPending() {
      return unseen.size > 0 || view.queue.some(({ messageId }) => firstPromptIds.has(messageId));
    },
    onChange: changes.add,
    isInFirstView: (event) => event.kind === "USER_PROMPT" && firstPromptIds.has(event.messageId),
    apply(event) {
      if (event.kind === "STATE_CHANGE") setState(event);
      // A prompt opens its task. On A2A 0.3, a prompt also reopens a task that has ended.
      else if (event.kind === "USER_PROMPT" || !states.has(event.taskId)) {
        setState({ taskId: event.taskId, state: "submitted" });
      }
      if (unseen.apply(event)) own.add(event.taskId);
      setView(reduceSessionView(view, event));
    },
    setState,
    replace(snapshot) {
      setState(snapshot);
      setView(snapshot);
    },
    sent(next, before, isSteering) {
      own.add(next.taskId);
      if (!states.has(next.taskId)) {
        setState(next);
        // The view shows the new task at once. The event of its prompt follows when its turn
        // begins.
        if (!isUnfinished(view)) {
          const { cursor } = view;
          setView({ ...continueView(view, next), ...(cursor !== undefined && { cursor }) });
        }
      } else if (view === before && view.taskId === next.taskId) {
        setView({ ...view, state: next.state });
      }
      unseen.expect(next, view, isSteering);
    },
    settle: unseen.settle,
  };
}
