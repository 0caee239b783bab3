import { GEMINI_SPELLING } from "@dt/schema/gemini";
import type { A2aFrame, A2aMessage } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import { linkSignals, onAbort } from "../transport/abort-signals.js";
import type { GeminiHttp } from "./gemini-http.js";

/** The peer did not react to an answer in time. */
export class SilenceError extends TransportError {
  constructor() {
    super("closed", "gemini-cli's server did not react to the answer; the task was canceled");
  }
}

/** Options of opening a turn. */
export interface OpenTurnOptions {
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** Aborts the wait for the first frame only, because later frames may have other readers. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the wait for the first frame. Default: none. */
  readonly timeoutMs?: number | undefined;
}

/** A turn that the peer has started; its stream must be read to the end. */
export interface OpenedTurn {
  readonly first: A2aFrame;
  readonly frames: AsyncIterable<A2aFrame>;
}

/**
 * Sends a message and waits for the first frame. A failed request is not repeated, because the peer
 * might act on the message twice.
 */
export async function openTurn(
  http: GeminiHttp,
  message: A2aMessage,
  { closing, signal, timeoutMs }: OpenTurnOptions,
): Promise<OpenedTurn> {
  signal?.throwIfAborted();
  const link = linkSignals(closing);
  const stop = signal && onAbort(signal, () => link.abort(signal.reason));
  const silence = new SilenceError();
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => link.abort(silence), timeoutMs);
  try {
    const params = { message: GEMINI_SPELLING.encodeMessage(message) };
    const frames = http.stream("message/stream", params, link.signal);
    const { value: first, done } = await frames.next();
    if (done === true) {
      throw new TransportError("closed", "the stream ended without an answer");
    }
    return { first, frames: withRelease(frames, link.release) };
  } catch (reason) {
    link.release();
    throw link.signal.reason === silence ? silence : reason;
  } finally {
    clearTimeout(timer);
    stop?.();
  }
}

/** Wraps a stream, and calls `release` when the stream ends or its reader stops reading. */
export async function* withRelease(
  frames: AsyncIterable<A2aFrame>,
  release: () => void,
): AsyncGenerator<A2aFrame, undefined, undefined> {
  try {
    yield* frames;
  } finally {
    release();
  }
  return undefined;
}

/** Reads a stream to its end and ignores its frames. Leaving the stream earlier would abort the peer's work. */
export async function drain(frames: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of frames);
  } catch {
    // The reader of another stream of the task reports the error.
  }
}
