import { ProtocolError, textOf } from "@dt/schema";
import type { A2aMessage } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import type { StoredReceipt } from "../../store/session-store.js";

/**
 * Throws where a message has the id of one that was taken, but is another: it would be answered with
 * what became of that one, and get lost itself.
 */
export async function checkRepeated(
  message: A2aMessage,
  receipt: StoredReceipt,
  log: SessionLog,
): Promise<void> {
  const { messageId, taskId = receipt.taskId, contextId = receipt.contextId } = message;
  const isElsewhere = taskId !== receipt.taskId || contextId !== receipt.contextId;
  const taken = isElsewhere ? undefined : await findText(receipt, log);
  if (!isElsewhere && (taken ?? textOf(message.parts)) === textOf(message.parts)) return;
  throw new ProtocolError(
    "invalid-message",
    `message.messageId: ${messageId} is the id of another message of this client; give each message an id of its own`,
  );
}

// What the prompt said; undefined where the message was an answer.
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
