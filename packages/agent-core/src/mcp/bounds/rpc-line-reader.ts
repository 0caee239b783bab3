import { createByteBuffer } from "../../model/byte-buffer.js";
import type { MessageLimits } from "./message-limits.js";
import { createMessageScanner, type MessageId } from "./message-scanner.js";

/** A line that may be parsed, or why one may not be. */
export type ReadLine = { readonly text: string } | RefusedMessage;

/** A message that is beyond a limit. */
export interface RefusedMessage {
  /** What is wrong with it, such as `of more than 10 bytes`. */
  readonly fault: string;
  /** The call that it would have answered, if it was an answer. */
  readonly answeredId: MessageId | undefined;
}

/** Cuts a stream of bytes into lines. */
export interface LineReader {
  /** Takes bytes; throws {@link RangeError} if a line that is too long has no end either. */
  push(chunk: Buffer): readonly ReadLine[];
}

const NEWLINE = 0x0a;

/** A reader that holds at most one unfinished line, and of a line beyond the limits nothing. */
export function createLineReader(limits: MessageLimits): LineReader {
  const pending = createByteBuffer();
  let scanner = createMessageScanner(limits);
  let length = 0;

  function take(bytes: Buffer): void {
    scanner.push(bytes);
    length += bytes.length;
    if (length > limits.maxSkippedBytes) {
      throw new RangeError(`a line of more than ${limits.maxSkippedBytes} bytes`);
    }
  }

  function endLine(bytes: Buffer): ReadLine {
    take(bytes);
    const { fault, answeredId } = scanner;
    const whole = pending.takeWith(bytes);
    scanner = createMessageScanner(limits);
    length = 0;
    return fault === undefined
      ? { text: Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString("utf8") }
      : { fault, answeredId };
  }

  return {
    push(chunk) {
      const lines: ReadLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(endLine(chunk.subarray(start, end)));
        start = end + 1;
      }
      const rest = chunk.subarray(start);
      take(rest);
      if (scanner.fault === undefined) pending.append(rest);
      else pending.truncate(0);
      return lines.filter((line) => !("text" in line) || line.text.trim() !== "");
    },
  };
}
