import { reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";

/** A prompt that this client sent. */
export type OwnPrompt = Pick<
  SessionEvent & { kind: "USER_PROMPT" },
  "messageId" | "parts" | "origin"
>;

/** An id that no other message has. */
export function createMessageId(): string {
  const { crypto } = globalThis;
  // Pages that were not served securely have no randomUUID.
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A view with a prompt that an agent does not repeat to whoever sent it. */
export function withPrompt(view: TaskView, prompt: OwnPrompt): TaskView {
  const { taskId, contextId, state, at } = view;
  return reduceTaskView(view, { kind: "USER_PROMPT", ...prompt, taskId, contextId, state, at });
}
