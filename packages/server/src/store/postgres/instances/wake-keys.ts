import { createHash } from "node:crypto";

/** The key of a change in the inbox: there may be requests to claim. */
export const INBOX_KEY = "inbox";

/** The key of sessions that were given back. */
export const RELEASE_KEY = "release";

/** Returns the key of changes of a session. Clients may choose long ids, so the key has a digest. */
export function sessionKey(contextId: string): string {
  return `s${createHash("sha256").update(contextId).digest("base64url").slice(0, 22)}`;
}

/** Returns the key of the reply to a request. */
export function replyKey(requestId: string): string {
  return `r${requestId}`;
}
