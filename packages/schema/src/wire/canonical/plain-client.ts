import type { SessionEvent } from "../../event/agent-event.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import type { A2aMessage, A2aStatusUpdate, A2aTask } from "../a2a/a2a.js";
import { encodePlainQuestions } from "../a2a/plain-question.js";
import { isToolCallPart } from "./content-codec.js";
import { type Activation, isVisible } from "./event-codec.js";
import { mirrorsIn } from "./mirror-artifacts.js";

/**
 * Returns true for a client that did not activate the development-tool extension. Such a client
 * gets questions as text. It gets every text a second time as an artifact, because several
 * frameworks only read artifacts.
 */
export function isPlain({ developmentTool }: Activation): boolean {
  return !developmentTool;
}

/** Returns true if a client gets an event. A plain client gets text, artifacts and changes of state. */
export function isShown(event: SessionEvent, activation: Activation): boolean {
  if (!isPlain(activation)) return isVisible(event, activation);
  return (
    event.kind === "TEXT_CONTENT" || event.kind === "STATE_CHANGE" || event.kind === "ARTIFACT"
  );
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

/** Replaces the open questions of a task with text, and adds the artifacts that repeat its messages. */
export function toPlainTask(task: A2aTask, view: TaskView): A2aTask {
  const mirrors = mirrorsIn(view);
  const artifacts = [...(task.artifacts ?? []), ...mirrors];
  const plain = mirrors.length === 0 ? task : { ...task, artifacts };
  const waiting = openQuestions(view);
  const { message } = task.status;
  if (waiting.length === 0 || message === undefined) return plain;
  const text = withText(message, encodePlainQuestions(waiting));
  return { ...plain, status: { ...task.status, message: text } };
}

function withText(message: A2aMessage, text: string): A2aMessage {
  const rest = message.parts.filter((part) => !isToolCallPart(part));
  return { ...message, parts: [{ type: "text", text }, ...rest] };
}
