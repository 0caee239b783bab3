import { createHash } from "node:crypto";
import { ProtocolError } from "@dt/schema";

/** Computes the digest of a message's content, which does not depend on the order of keys. */
export function digestContent(content: object): string {
  return createHash("sha256").update(JSON.stringify(content, sortKeys)).digest("base64url");
}

/** Creates the error for a message that has the id of another message. */
export function repeatedId(messageId: string): ProtocolError {
  return new ProtocolError(
    "invalid-message",
    `message.messageId: ${messageId} is the id of another message of this client; give each message an id of its own`,
    { data: { path: "message.messageId" } },
  );
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries);
}
