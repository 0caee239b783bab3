import type { JsonObject } from "@dt/schema";
import type { EventQuery, LogEvent } from "../../session-store.js";
import { damagedSession } from "../../store-fault.js";
import { type ObjectBucket, ObjectGone } from "../bucket/object-bucket.js";
import type { CommitPart, GcsState, SegmentRef } from "./gcs-state.js";
import { decodeParts } from "./session-parts.js";

/** Reads the commits of sessions from their segments and from the log. */
export interface SessionContent {
  readEvents(state: GcsState, query: EventQuery): Promise<readonly LogEvent[]>;
  readJournal(state: GcsState, contextId: string): Promise<readonly JsonObject[]>;
}

/** Maximum size of the segments in memory. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** Creates the reader of a bucket's sessions. It keeps the segments that were used last. */
export function createSessionContent(bucket: ObjectBucket): SessionContent {
  const cache = new Map<
    string,
    { readonly parts: readonly CommitPart[]; readonly bytes: number }
  >();
  let cached = 0;

  async function readSegment(contextId: string, segment: SegmentRef) {
    const { name, bytes } = segment;
    const known = cache.get(name);
    if (known !== undefined) {
      cache.delete(name);
      cache.set(name, known);
      return known.parts;
    }
    const body = await bucket.read(name);
    if (body === undefined) throw new ObjectGone(bucket.place, name);
    const parts = decodeSegmentOf(contextId, segment, body);
    if (!cache.has(name)) cached += bytes;
    cache.set(name, { parts, bytes });
    for (const [oldest, { bytes: freed }] of cache) {
      if (cached <= CACHE_BYTES || oldest === name) break;
      cache.delete(oldest);
      cached -= freed;
    }
    return parts;
  }

  /** Yields the commits that may have events after a position; all commits if the position is negative. */
  async function* partsOf(
    { tables, loaded }: GcsState,
    contextId: string,
    after: number,
  ): AsyncGenerator<CommitPart> {
    // Segments and tail are read before the first `await`, so that a save meanwhile neither hides nor repeats a
    // commit.
    const segments = tables.sessions.get(contextId)?.segments ?? [];
    const tail = [...(loaded.get(contextId)?.tail ?? [])];
    for (const segment of segments) {
      if (segment.last > after || after < 0) yield* await readSegment(contextId, segment);
    }
    yield* tail;
  }

  return {
    async readEvents(state, query) {
      const page: LogEvent[] = [];
      const { contextId, after, limit, taskId, kinds } = query;
      for await (const { events } of partsOf(state, contextId, after)) {
        if ((events.at(-1)?.position ?? 0) <= after) continue;
        for (const logged of events) {
          if (page.length >= limit || logged.position > (kinds?.upTo ?? logged.position)) {
            return page;
          }
          if (logged.position <= after) continue;
          if (taskId !== undefined && logged.event.taskId !== taskId) continue;
          if (kinds === undefined || kinds.only.includes(logged.event.kind)) page.push(logged);
        }
      }
      return page;
    },
    async readJournal(state, contextId) {
      const journal: JsonObject[] = [];
      for await (const part of partsOf(state, contextId, -1)) {
        for (const record of part.journal) journal.push(record);
      }
      return journal;
    },
  };
}

/** Decodes the commits of a segment. Throws a StoreFault that names the session if an event is damaged or missing. */
function decodeSegmentOf(
  contextId: string,
  { name, after, last }: SegmentRef,
  body: Buffer,
): readonly CommitPart[] {
  let position = after;
  let parts: readonly CommitPart[];
  try {
    parts = decodeParts(body.toString());
    for (const { events } of parts) {
      for (const logged of events) if (logged.position === position + 1) position += 1;
    }
  } catch (cause) {
    throw damagedSession(contextId, name, cause);
  }
  // The log has no gaps, so another position means that an event is missing.
  if (position !== last)
    throw damagedSession(contextId, `${name}, events ${position + 1}: missing`);
  return parts;
}
