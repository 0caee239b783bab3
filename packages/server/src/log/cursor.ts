import { ProtocolError, START_CURSOR } from "@dt/schema";

/** Writes and reads the cursors of one session. */
export interface CursorCodec {
  /** A place in the log as clients hold it: opaque to them. */
  encode(seq: number): string;
  /** Inverse of encode; throws for a cursor that is not one of this session. */
  decode(cursor: string): number;
}

/** What tells a session from every other, one that had its id before and was deleted included. */
export interface SessionIdentity {
  readonly contextId: string;
  readonly createdAt: string;
}

/** The cursors of a session carry its mark, so that one of another session is refused. */
export function createCursorCodec({ contextId, createdAt }: SessionIdentity): CursorCodec {
  const mark = hashOf(`${contextId}\n${createdAt}`);
  return {
    encode: (seq) => `${seq}.${mark}`,
    decode(cursor) {
      if (cursor === START_CURSOR) return 0;
      const match = /^(\d{1,15})\.([0-9a-z]+)$/.exec(cursor);
      if (match === null || match[2] !== mark) {
        throw new ProtocolError(
          "cursor-not-found",
          `the cursor ${JSON.stringify(cursor.slice(0, 64))} is not one of this session`,
        );
      }
      return Number(match[1]);
    },
  };
}

/** The cursors of the session that a task belongs to. */
export function cursorsOf(task: {
  readonly contextId: string;
  readonly sessionCreatedAt: string;
}): CursorCodec {
  return createCursorCodec({ contextId: task.contextId, createdAt: task.sessionCreatedAt });
}

// FNV-1a: a mark, not a secret.
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
