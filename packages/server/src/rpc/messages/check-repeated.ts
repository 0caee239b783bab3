import { textOf } from "@dt/schema";
import type { SessionLog } from "../../log/session-log.js";
import type { StoredReceipt } from "../../store/session-store.js";
import { repeatedId } from "./content-digest.js";
import type { Incoming } from "./incoming.js";

/** A message that was taken before: its receipt, and the log of its session. */
export interface TakenMessage {
  readonly receipt: StoredReceipt;
  readonly log: SessionLog;
}

/** Throws if a message has the id of one that was taken, but another task or another content. */
export async function checkRepeated(message: Incoming, taken: TakenMessage): Promise<void> {
  const { receipt } = taken;
  const { messageId, taskId = receipt.taskId, contextId = receipt.contextId } = message;
  const isElsewhere = taskId !== receipt.taskId || contextId !== receipt.contextId;
  if (isElsewhere || !(await hasSameContent(message, taken))) throw repeatedId(messageId);
}

// Receipts that are older than digests are compared by the text of the prompt.
async function hasSameContent(
  { content, digest }: Incoming,
  { receipt, log }: TakenMessage,
): Promise<boolean> {
  if (receipt.digest !== undefined) return receipt.digest === digest;
  const taken = await findText(receipt, log);
  return taken === undefined || taken === (content.type === "prompt" ? textOf(content.parts) : "");
}

// Undefined if the message was an answer.
async function findText(
  { messageId, afterPosition }: StoredReceipt,
  log: SessionLog,
): Promise<string | undefined> {
  for (const { event } of await log.read(afterPosition)) {
    if (event.kind === "USER_PROMPT" && event.messageId === messageId) return textOf(event.parts);
    const queued = event.kind === "QUEUE" ? event.prompts : [];
    const prompt = queued.find((waiting) => waiting.messageId === messageId);
    if (prompt !== undefined) return prompt.text;
  }
  return undefined;
}
