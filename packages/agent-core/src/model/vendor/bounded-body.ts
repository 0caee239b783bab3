import { openBodyReader } from "./body-reader.js";
import { createEventSplitter } from "./event-splitter.js";
import type { HttpResponse } from "./http-request.js";
import type { ReplyLimits } from "./reply-limits.js";
import type { SilenceTimer } from "./silence-timer.js";

/** Options for reading a body. */
export interface BodyOptions {
  readonly limits: ReplyLimits;
  readonly silence: SilenceTimer;
  /** Converts a read error to the error that is thrown. */
  explain(reason: unknown): unknown;
}

/** Text of complete events, or of an unfinished event at the end of the body. */
export interface EventText {
  readonly text: string;
  readonly isUnfinished: boolean;
}

/** Reads a stream of events within the limits, and only as fast as the caller asks for more. */
export async function* readEventTexts(
  { body }: Pick<HttpResponse, "body">,
  { limits, silence, explain }: BodyOptions,
): AsyncGenerator<EventText> {
  const reader = openBodyReader(body);
  const splitter = createEventSplitter(limits);
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const read = await silence.watch(reader.read());
      const bytes = read === undefined ? splitter.end() : splitter.push(read);
      if (bytes !== undefined && bytes.length > 0) {
        yield { text: decoder.decode(bytes), isUnfinished: read === undefined };
      }
      if (read === undefined) return;
    }
  } catch (reason) {
    throw explain(reason);
  } finally {
    reader.close();
  }
}

/** Reads the start of an error response's body. If the body breaks off, returns the text before the break. */
export async function readErrorText(
  { body }: Pick<HttpResponse, "body">,
  { limits, silence }: Pick<BodyOptions, "limits" | "silence">,
): Promise<string> {
  const reader = openBodyReader(body);
  const decoder = new TextDecoder();
  let text = "";
  let left = limits.maxErrorBytes;
  try {
    while (left > 0) {
      const bytes = await silence.watch(reader.read());
      if (bytes === undefined) break;
      text += decoder.decode(bytes.subarray(0, left), { stream: true });
      left -= bytes.length;
    }
  } catch {
    // The body broke off. If there is no text before the break, the error message has only the status.
  }
  reader.close();
  return text;
}
