import { advanceReply, type ReplyProgress, replyIn, type TaskView } from "@dt/schema";
import type { Dialect, StreamFrame } from "@dt/schema/wire";
import type { LoggedEvent } from "../../log/session-log.js";

/** Encodes the events of one stream, in order. */
export type StreamEncoder = (logged: LoggedEvent, isLast: boolean) => readonly StreamFrame[];

/** Adds text around each frame of a stream. */
export interface Envelope {
  /** Part of the cache key, so that texts with and without the envelope are separate. */
  readonly name: string;
  wrap(frame: StreamFrame): string;
}

/** Options of {@link createStreamEncoder}. */
export interface StreamEncoderOptions {
  readonly envelope?: Envelope | undefined;
  /**
   * Views of tasks at the start of the stream. If a task is not listed, the progress of its reply is unknown until the
   * next message.
   */
  readonly views?: readonly TaskView[];
}

/**
 * Creates the encoder of a stream that was started with `memory`. If frames depend only on the event and the reply so
 * far, all streams of the dialect share them. They are cached with the event, and contain the envelope.
 */
export function createStreamEncoder(
  dialect: Dialect,
  memory: unknown,
  { envelope, views = [] }: StreamEncoderOptions = {},
): StreamEncoder {
  let latest = memory;
  const encodeAlone: PositionedEncoder = ({ event }, isLast, reply) => {
    const encoded = dialect.encodeEvent(latest, event, { isLast, reply });
    latest = encoded.memory;
    if (envelope === undefined) return encoded.frames;
    return encoded.frames.map((frame) => ({ ...frame, json: envelope.wrap(frame) }));
  };
  const key = `${envelope?.name ?? ""} ${dialect.key}`;
  const encode = dialect.sharesFrames ? withCache(encodeAlone, key) : encodeAlone;
  if (!dialect.chunksReply) return (logged, isLast) => encode(logged, isLast, undefined);

  // Progress of the reply of each task. Only dialects with `chunksReply` need it.
  const replies = new Map(views.map((view) => [view.taskId, replyIn(view).progress]));
  return (logged, isLast) => {
    const { event } = logged;
    const reply = replies.get(event.taskId);
    const frames = encode(logged, isLast, reply);
    const next = advanceReply(reply, event);
    if (next !== undefined && next !== reply) replies.set(event.taskId, next);
    return frames;
  };
}

type PositionedEncoder = (
  logged: LoggedEvent,
  isLast: boolean,
  reply: ReplyProgress | undefined,
) => readonly StreamFrame[];

// All streams that know the progress of a task's reply share one encoding of each event, because the progress
// is the same for all of them. The progress is part of the key, because a stream that does not know the
// progress needs frames of its own.
function withCache(encode: PositionedEncoder, key: string): PositionedEncoder {
  // The keys are built once, because every event of every subscriber needs one.
  const keys = toKeys(key);
  const lastKeys = toKeys(`${key} last`);
  return (logged, isLast, reply) => {
    const ownKey = (isLast ? lastKeys : keys)[reply ?? "unknown"];
    const cached = logged.encoded.get(ownKey);
    if (cached !== undefined) return cached;
    const frames = encode(logged, isLast, reply);
    logged.encoded.set(ownKey, frames);
    return frames;
  };
}

function toKeys(key: string): Readonly<Record<ReplyProgress | "unknown", string>> {
  return { unknown: key, none: `${key} none`, open: `${key} open`, paused: `${key} paused` };
}
