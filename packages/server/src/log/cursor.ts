import { ProtocolError, START_CURSOR } from "@dt/schema";
import type { LogEvent, SessionStore } from "../store/session-store.js";

/**
 * A position in the log of a session, and the epoch of its event. If the end of a log is lost, a later event gets the
 * same position again, but a higher epoch.
 */
export type LogPosition = Pick<LogEvent, "position" | "epoch">;

/** Encodes and decodes the cursors of one session. */
export interface CursorCodec {
  /** Encodes a position; the result is opaque to clients. */
  encode(position: LogPosition): string;
  /** Inverse of encode; throws `cursor-not-found` for an invalid cursor or a cursor of another session. */
  decode(cursor: string): LogPosition;
}

/** Identifies a session. A new session may have the id of a deleted one, but not its `createdAt`. */
export interface SessionIdentity {
  readonly contextId: string;
  readonly createdAt: string;
}

/** The position before the first event. */
const START: LogPosition = { position: 0, epoch: 0 };

/**
 * Creates the codec of a session. Its cursors contain a hash of the session, so that cursors of another session are
 * refused. Epoch 0 is left out of a cursor; only position 0 and events from an older version of the store have this
 * epoch.
 */
export function createCursorCodec({ contextId, createdAt }: SessionIdentity): CursorCodec {
  const sessionHash = hashOf(`${contextId}\n${createdAt}`);
  return {
    encode: ({ position, epoch }) =>
      epoch === 0 ? `${position}.${sessionHash}` : `${position}.${epoch}.${sessionHash}`,
    decode(cursor) {
      if (cursor === START_CURSOR) return START;
      const match = /^(\d{1,15})(?:\.(\d{1,15}))?\.([0-9a-z]+)$/.exec(cursor);
      if (match === null || match[3] !== sessionHash) {
        throw new ProtocolError(
          "cursor-not-found",
          `the cursor ${JSON.stringify(cursor.slice(0, 64))} does not belong to this session; load the task again`,
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

/** Finds the epoch of the event at a position: 0 for position 0, undefined if there is no such event. */
export async function findEpoch(
  store: Pick<SessionStore, "readEvents">,
  contextId: string,
  position: number,
): Promise<number | undefined> {
  if (position === 0) return 0;
  const [logged] = await store.readEvents({ contextId, after: position - 1, limit: 1 });
  return logged?.epoch;
}

// Computes the FNV-1a hash of a text. The hash protects against mistakes, not against attacks.
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
