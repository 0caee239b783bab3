import { openQuestions, type SessionEvent, type TaskView } from "@dt/schema";
import {
  type A2aFrame,
  type A2aMessage,
  type A2aStatusUpdate,
  type A2aTask,
  type Activation,
  encodePlainQuestions,
  encodeTask,
  isVisible,
} from "@dt/schema/wire";

/**
 * What a client without our extension gets: text, questions as text, and its answer also as an
 * artifact, since several frameworks read artifacts only. (DESIGN 3.18)
 */
export function isPlain({ developmentTool }: Activation): boolean {
  return !developmentTool;
}

/** Whether an observer is sent an event: a plain one gets text and changes of state. */
export function isShown(event: SessionEvent, activation: Activation): boolean {
  if (!isPlain(activation)) return isVisible(event, activation);
  return event.kind === "TEXT_CONTENT" || event.kind === "STATE_CHANGE";
}

/** The update of a question, with words where our clients find the calls themselves. */
export function toPlainUpdate(update: A2aStatusUpdate, event: SessionEvent): A2aStatusUpdate {
  const { status } = update;
  if (event.kind !== "STATE_CHANGE" || !event.waiting?.length || status.message === undefined) {
    return update;
  }
  const message = withText(status.message, encodePlainQuestions(event.waiting));
  return { ...update, status: { ...status, message } };
}

/** The same for a task whose questions are open. */
export function toPlainTask(task: A2aTask, view: TaskView): A2aTask {
  const waiting = openQuestions(view);
  const { message } = task.status;
  if (waiting.length === 0 || message === undefined) return task;
  const plain = withText(message, encodePlainQuestions(waiting));
  return { ...task, status: { ...task.status, message: plain } };
}

/** The answer of a task as an artifact; undefined where there is none. */
export function answerFrame(view: TaskView, activation: Activation): A2aFrame | undefined {
  const artifact = encodeTask(view, { activation, historyLength: 0 }).artifacts?.[0];
  if (artifact === undefined) return undefined;
  const { taskId, contextId } = view;
  return { type: "artifact-update", taskId, contextId, artifact, append: false, lastChunk: true };
}

function withText(message: A2aMessage, text: string): A2aMessage {
  return { ...message, parts: [{ type: "text", text }] };
}
