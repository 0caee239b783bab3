import { createHash } from "node:crypto";

/** Longest id that is part of a name as it is. Names of objects have at most 1,024 bytes. */
const MAX_ID_BYTES = 200;

/**
 * Encodes an id as one part of a name. An id that is too long, or is not valid Unicode, is replaced with its digest.
 */
export function encodeId(id: string): string {
  const isText = Buffer.from(id).toString() === id;
  const encoded = isText ? encodeURIComponent(id) : "";
  if (encoded !== "" && encoded.length <= MAX_ID_BYTES) return encoded;
  return `sha256-${createHash("sha256").update(JSON.stringify(id)).digest("hex")}`;
}

/** Returns the folder of a session: its segments and saved views. */
export function sessionFolder(contextId: string): string {
  return `sessions/${encodeId(contextId)}/`;
}

/** Returns the documented folder of a task. */
export function taskFolder(taskId: string): string {
  return `tasks/${encodeId(taskId)}/`;
}
