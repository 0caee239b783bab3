import { type Part, textOf } from "@dt/schema";
import type { SessionLog } from "../../log/session-log.js";
import type { StoredReceipt } from "../../store/session-store.js";
import { digestContent, repeatedId } from "./content-digest.js";
import type { Incoming } from "./incoming.js";

/** A message that was accepted before: its receipt, and the log of its session. */
export interface AcceptedMessage {
  readonly receipt: StoredReceipt;
  readonly log: SessionLog;
}

/** Throws if a message has the id of an accepted message, but a different task, session or content. */
export async function checkRepeated(message: Incoming, accepted: AcceptedMessage): Promise<void> {
  const { receipt } = accepted;
  const { messageId, taskId = receipt.taskId, contextId = receipt.contextId } = message;
  const isElsewhere = taskId !== receipt.taskId || contextId !== receipt.contextId;
  if (isElsewhere || !(await hasSameContent(message, accepted))) throw repeatedId(messageId);
}

// Returns true if a message has the content of the accepted message. Old receipts have no digest, so the prompt in the
// log is compared. For a queued prompt, the log has only the text.
async function hasSameContent(
  { content, digest }: Incoming,
  { receipt, log }: AcceptedMessage,
): Promise<boolean> {
  if (receipt.digest !== undefined) return receipt.digest === digest;
  const accepted = await findPrompt(receipt, log);
  const parts = content.type === "prompt" ? content.parts : [];
  if (accepted === undefined) return true;
  return typeof accepted === "string"
    ? accepted === textOf(parts)
    : digestContent(accepted) === digestContent(parts);
}

// Returns the parts of a prompt, or the text of a queued prompt; undefined if the message was an answer.
async function findPrompt(
  { messageId, afterPosition }: StoredReceipt,
  log: SessionLog,
): Promise<readonly Part[] | string | undefined> {
  for (const { event } of await log.read(afterPosition)) {
    if (event.kind === "USER_PROMPT" && event.messageId === messageId) return event.parts;
    const queued = event.kind === "QUEUE" ? event.prompts : [];
    const prompt = queued.find((waiting) => waiting.messageId === messageId);
    if (prompt !== undefined) return prompt.text;
  }
  return undefined;
}
