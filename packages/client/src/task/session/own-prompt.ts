import { reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";

/** A prompt of this client. */
export type OwnPrompt = Pick<
  SessionEvent & { kind: "USER_PROMPT" },
  "messageId" | "parts" | "origin"
>;

/** Creates a unique message id. */
export function createMessageId(): string {
  const { crypto } = globalThis;
  // Pages that were loaded without TLS have no randomUUID.
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Adds a prompt to a view, because the agent's reply to a prompt does not contain the prompt. */
export function withPrompt(view: TaskView, prompt: OwnPrompt): TaskView {
  const { taskId, contextId, state, at } = view;
  return reduceTaskView(view, { kind: "USER_PROMPT", ...prompt, taskId, contextId, state, at });
}
