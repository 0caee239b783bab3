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

/** The same answer with a body that is bounded, and read only as fast as its reader asks for it. */
export function boundAnswer(response: Response, options: BodyOptions): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  return new Response(boundEvents(body, options), { status, statusText, headers });
}

function boundEvents(body: ReadableStream<Bytes>, options: BodyOptions): ReadableStream<Bytes> {
  const { limits, silence, explain } = options;
  const reader = body.getReader();
  const splitter = createEventSplitter(limits);

  /** Whole events, or the rest of the body at its end. */
  async function readEvents(): Promise<{ readonly bytes: Bytes; readonly isEnd: boolean }> {
    for (;;) {
      const { value, done } = await silence.watch(reader.read());
      if (done) return { bytes: splitter.end(), isEnd: true };
      const bytes = splitter.take(value);
      if (bytes !== undefined) return { bytes, isEnd: false };
    }
  }

  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { bytes, isEnd } = await readEvents();
          if (bytes.length > 0) controller.enqueue(bytes);
          if (isEnd) controller.close();
        } catch (reason) {
          void reader.cancel().catch(() => {});
          throw explain(reason);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
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
