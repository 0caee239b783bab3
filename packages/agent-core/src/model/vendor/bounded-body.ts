import { createEventSplitter } from "./event-splitter.js";
import type { ReplyLimits } from "./reply-limits.js";
import type { SilenceTimer } from "./silence-timer.js";

/** Options for reading a body. */
export interface BodyOptions {
  readonly limits: ReplyLimits;
  readonly silence: SilenceTimer;
  /** Converts a read error to the error that is thrown. */
  explain(reason: unknown): unknown;
}

type Bytes = Uint8Array<ArrayBufferLike>;

/** Text of complete events, or of a last event that has not ended. */
export interface EventText {
  readonly text: string;
  readonly isUnfinished: boolean;
}

/** Reads a stream of events within the limits, and only as fast as the caller asks for more. */
export async function* readEventTexts(
  { body }: Response,
  { limits, silence, explain }: BodyOptions,
): AsyncGenerator<EventText> {
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Bytes> = body.getReader();
  const splitter = createEventSplitter(limits);
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { value, done } = await silence.watch(reader.read());
      const bytes = done ? splitter.end() : splitter.push(value);
      if (bytes !== undefined && bytes.length > 0) {
        yield { text: decoder.decode(bytes), isUnfinished: done };
      }
      if (done) return;
    }
  } catch (reason) {
    throw explain(reason);
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Reads the beginning of an error's body. If the body breaks off, the text before the break is returned. */
export async function readErrorText(
  { body }: Response,
  { limits, silence }: Pick<BodyOptions, "limits" | "silence">,
): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let left = limits.maxErrorBytes;
  try {
    while (left > 0) {
      const { value, done } = await silence.watch(reader.read());
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    // The error message can consist of the status alone.
  }
  void reader.cancel().catch(() => {});
  return text;
}
