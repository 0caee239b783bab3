import { ProtocolError, START_CURSOR } from "@dt/schema";
import type { LogEvent, SessionStore } from "../store/session-store.js";

/**
 * A position in a session's log, and the epoch of the event there. The epoch tells an event from another
 * one that was written to the same position after the first was lost.
 */
export type LogPosition = Pick<LogEvent, "position" | "epoch">;

/** Encodes and decodes the cursors of one session. */
export interface CursorCodec {
  /** Encodes a position; the result is opaque to clients. */
  encode(position: LogPosition): string;
  /** Inverse of encode; throws `cursor-not-found` for a cursor of another session. */
  decode(cursor: string): LogPosition;
}

/** Identifies a session, also among those that had its id before and were deleted. */
export interface SessionIdentity {
  readonly contextId: string;
  readonly createdAt: string;
}

/** The position before the first event. */
const START: LogPosition = { position: 0, epoch: 0 };

/**
 * Creates the codec of a session. Its cursors carry a mark of the session, so that one of another session
 * is refused. Cursors of events that are older than epochs have no epoch in them; it is 0.
 */
export function createCursorCodec({ contextId, createdAt }: SessionIdentity): CursorCodec {
  const mark = hashOf(`${contextId}\n${createdAt}`);
  return {
    encode: ({ position, epoch }) =>
      epoch === 0 ? `${position}.${mark}` : `${position}.${epoch}.${mark}`,
    decode(cursor) {
      if (cursor === START_CURSOR) return START;
      const match = /^(\d{1,15})(?:\.(\d{1,15}))?\.([0-9a-z]+)$/.exec(cursor);
      if (match === null || match[3] !== mark) {
        throw new ProtocolError(
          "cursor-not-found",
          `the cursor ${JSON.stringify(cursor.slice(0, 64))} is not one of this session`,
        );
      }
      return { position: Number(match[1]), epoch: Number(match[2] ?? 0) };
    },
  };
}

/** Creates the codec of the session that a task belongs to. */
export function cursorsOf(task: {
  readonly contextId: string;
  readonly sessionCreatedAt: string;
}): CursorCodec {
  return createCursorCodec({ contextId: task.contextId, createdAt: task.sessionCreatedAt });
}

/** Finds the epoch of the event at a position; undefined if the log has no such position. */
export async function findEpoch(
  store: Pick<SessionStore, "readEvents">,
  contextId: string,
  position: number,
): Promise<number | undefined> {
  if (position === 0) return 0;
  const [logged] = await store.readEvents({ contextId, after: position - 1, limit: 1 });
  return logged?.epoch;
}

// FNV-1a: a mark, not a secret.
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
