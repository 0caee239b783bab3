import { ProtocolError } from "@dt/schema";

/** Longer than any id that is made to tell things apart. */
const MAX_ID = 256;

/** Refuses ids of a client's making that could not be kept, or not be told apart: by the name of the field. */
export function checkIds(ids: {
  readonly messageId: string;
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
}): void {
  for (const field of ["messageId", "taskId", "contextId"] as const) {
    const id = ids[field];
    if (id === undefined) continue;
    if (id === "") throw refused(field, "expected an id, got an empty text");
    if (id.length > MAX_ID) throw refused(field, `expected at most ${MAX_ID} characters`);
    // Half a character is written as another one, so that two such ids would become one.
    if (/\p{Surrogate}|\p{Cc}/u.test(id))
      throw refused(field, "expected whole, visible characters");
  }
}

function refused(field: string, reason: string): ProtocolError {
  return new ProtocolError("invalid-message", `message.${field}: ${reason}`);
}
