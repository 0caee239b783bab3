import type { TaskView } from "@dt/schema";
import type { Dialect, StreamFrame } from "@dt/schema/wire";
import type { LoggedEvent } from "../../log/session-log.js";

/**
 * Encodes the events of one stream, in order. `covered` is passed with the last event if the dialect ends a stream
 * with the agent's reply. It is the view of the turn or task, from which the reply is read.
 */
export type StreamEncoder = (
  logged: LoggedEvent,
  isLast: boolean,
  covered?: TaskView,
) => readonly StreamFrame[];

/** The text around each frame of some streams. */
export interface Envelope {
  /** Part of the cache key, so that texts with and without the envelope are separate. */
  readonly name: string;
  wrap(frame: StreamFrame): string;
}

/**
 * Creates the encoder of a stream that was started with `memory`. If frames depend on the event alone, their text
 * is cached with the event, envelope included, for all streams of the dialect.
 */
export function createStreamEncoder(
  dialect: Dialect,
  memory: unknown,
  envelope?: Envelope,
): StreamEncoder {
  let latest = memory;
  const encode: StreamEncoder = ({ event }, isLast, covered) => {
    const position = { isLast, ...(covered !== undefined && { covered }) };
    const encoded = dialect.encodeEvent(latest, event, position);
    latest = encoded.memory;
    if (envelope === undefined) return encoded.frames;
    return encoded.frames.map((frame) => toFrame(envelope.wrap(frame), frame));
  };
  if (!dialect.sharesFrames) return encode;
  // The keys are built once, because every event of every subscriber needs one.
  const key = `${envelope?.name ?? ""} ${dialect.key}`;
  const lastKey = `${key} last`;
  return (logged, isLast, covered) => {
    // A last event with the agent's reply is not cached, because each turn of a task has another reply.
    if (covered !== undefined) return encode(logged, isLast, covered);
    const ownKey = isLast ? lastKey : key;
    const cached = logged.encoded.get(ownKey);
    if (cached === undefined) {
      const frames = encode(logged, isLast);
      // An event without a frame is cached too, as an empty text.
      logged.encoded.set(ownKey, frames[0]?.json ?? "");
      return frames;
    }
    return cached === "" ? [] : [toFrame(cached, logged.event)];
  };
}

function toFrame(json: string, { cursor }: { readonly cursor?: string }): StreamFrame {
  return cursor === undefined ? { json } : { json, cursor };
}
