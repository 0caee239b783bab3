import { type ObjectBucket, ObjectGone } from "../bucket/object-bucket.js";
import { sessionFolder } from "../bucket/object-names.js";
import type { CommitPart, GcsState, IndexedSession, SegmentRef } from "../state/gcs-state.js";
import { encodeParts } from "../state/session-parts.js";

/** Largest segment that is joined with a later one. */
const MAX_JOINED_BYTES = 4 * 1024 * 1024;

/** The commits of one session that a save moves from the log to a segment. */
export interface TailMove {
  readonly contextId: string;
  readonly session: IndexedSession;
  readonly parts: readonly CommitPart[];
}

/**
 * A moved tail: all segments of the session, and the names of the segments that were joined into the last
 * one.
 */
export interface MovedTail {
  readonly move: TailMove;
  readonly segments: readonly SegmentRef[];
  readonly replaced: readonly string[];
}

/** Returns a copy of the commits of each session that are not in a segment yet. */
export function takeTails({ tables, loaded }: GcsState): readonly TailMove[] {
  return [...loaded].flatMap(([contextId, { tail }]) => {
    const session = tables.sessions.get(contextId);
    return session === undefined || tail.length === 0
      ? []
      : [{ contextId, session, parts: [...tail] }];
  });
}

/**
 * Writes the commits of a session to a segment. Earlier small segments are joined with the new one, so that a session
 * has few segments, and each commit is written again only a few times.
 */
export async function moveTail(
  bucket: ObjectBucket,
  move: TailMove,
  suffix: string,
): Promise<MovedTail> {
  const { contextId, session, parts } = move;
  let text = encodeParts(parts);
  const kept = [...session.segments];
  const replaced: string[] = [];
  let after = kept.at(-1)?.last ?? 0;
  for (let joined = kept.at(-1); joined !== undefined; joined = kept.at(-1)) {
    if (joined.bytes > 2 * text.length || joined.bytes + text.length > MAX_JOINED_BYTES) break;
    const body = await bucket.read(joined.name);
    if (body === undefined) throw new ObjectGone(bucket.place, joined.name);
    text = body.toString() + text;
    after = joined.after;
    replaced.push(joined.name);
    kept.pop();
  }
  const name = `${sessionFolder(contextId)}${String(after).padStart(12, "0")}-${suffix}.jsonl`;
  await bucket.write(name, text, "application/x-ndjson");
  const last = session.lastPosition;
  const segment = { name, after, last, bytes: text.length };
  return { move, segments: [...kept, segment], replaced };
}
