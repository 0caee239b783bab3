import type { AnswerLimits } from "./answer-limits.js";
import { createEventSplitter } from "./event-splitter.js";
import type { SilenceTimer } from "./silence-timer.js";

/** How a body is read. */
export interface BodyOptions {
  readonly limits: AnswerLimits;
  readonly silence: SilenceTimer;
  /** Why reading failed, given what was thrown. */
  explain(reason: unknown): unknown;
}

type Bytes = Uint8Array<ArrayBufferLike>;

/** Text of whole events as they arrive, and at the end the text of an event that never ended. */
export interface EventText {
  readonly text: string;
  readonly isRest: boolean;
}

/** Reads a stream of events within its bounds, and only as fast as the caller asks for more. */
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
      const bytes = done ? splitter.end() : splitter.take(value);
      if (bytes !== undefined && bytes.length > 0) {
        yield { text: decoder.decode(bytes), isRest: done };
      }
      if (done) return;
    }
  } catch (reason) {
    throw explain(reason);
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** The beginning of an error's body as text. What is longer or breaks off is not waited for. */
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
    // The status says enough.
  }
  void reader.cancel().catch(() => {});
  return text;
}
