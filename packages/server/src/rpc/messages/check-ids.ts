import { ProtocolError } from "@dt/schema";

/** Maximum number of characters in an id. */
const MAX_ID_LENGTH = 256;

/** Throws if an id of a client is empty or too long, or has control characters or lone surrogates. */
export function checkIds(
  ids: {
    readonly messageId?: string | undefined;
    readonly taskId?: string | undefined;
    readonly contextId?: string | undefined;
  },
  path = "message.",
): void {
  for (const field of ["messageId", "taskId", "contextId"] as const) {
    const id = ids[field];
    if (id === undefined) continue;
    if (id === "") throw refused(path + field, "expected an id, got an empty text");
    if (id.length > MAX_ID_LENGTH)
      throw refused(path + field, `expected at most ${MAX_ID_LENGTH} characters`);
    // A lone surrogate is stored as another character, so two such ids would become equal.
    if (/\p{Surrogate}|\p{Cc}/u.test(id))
      throw refused(path + field, "expected no control characters and no lone surrogates");
  }
}

function refused(field: string, reason: string): ProtocolError {
  return new ProtocolError("invalid-message", `${field}: ${reason}`, { data: { path: field } });
}
