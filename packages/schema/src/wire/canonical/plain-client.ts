import type { SessionEvent } from "../../event/agent-event.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import type { A2aFrame, A2aMessage, A2aStatusUpdate, A2aTask } from "../a2a/a2a.js";
import { encodePlainQuestions } from "../a2a/plain-question.js";
import { type Activation, isVisible } from "./event-codec.js";
import { encodeTask } from "./task-codec.js";

/**
 * Returns true for a client without our extension. Such a client gets the agent's text, and
 * questions as text. It also gets the agent's reply as an artifact, because several frameworks only
 * read artifacts.
 */
export function isPlain({ developmentTool }: Activation): boolean {
  return !developmentTool;
}

/** Returns true if a client gets an event. A plain client gets text and changes of state. */
export function isShown(event: SessionEvent, activation: Activation): boolean {
  if (!isPlain(activation)) return isVisible(event, activation);
  return event.kind === "TEXT_CONTENT" || event.kind === "STATE_CHANGE";
}

/** Replaces the questions in an update with text. */
export function toPlainUpdate(update: A2aStatusUpdate, event: SessionEvent): A2aStatusUpdate {
  const { status } = update;
  if (event.kind !== "STATE_CHANGE" || !event.waiting?.length || status.message === undefined) {
    return update;
  }
  const message = withText(status.message, encodePlainQuestions(event.waiting));
  return { ...update, status: { ...status, message } };
}

/** Replaces the open questions of a task with text. */
export function toPlainTask(task: A2aTask, view: TaskView): A2aTask {
  const waiting = openQuestions(view);
  const { message } = task.status;
  if (waiting.length === 0 || message === undefined) return task;
  const plain = withText(message, encodePlainQuestions(waiting));
  return { ...task, status: { ...task.status, message: plain } };
}

/** Encodes the agent's reply as an artifact; undefined if there is none. */
export function replyFrame(view: TaskView, activation: Activation): A2aFrame | undefined {
  const artifact = encodeTask(view, { activation, historyLength: 0 }).artifacts?.[0];
  if (artifact === undefined) return undefined;
  const { taskId, contextId } = view;
  return { type: "artifact-update", taskId, contextId, artifact, append: false, lastChunk: true };
}

function withText(message: A2aMessage, text: string): A2aMessage {
  return { ...message, parts: [{ type: "text", text }] };
}
