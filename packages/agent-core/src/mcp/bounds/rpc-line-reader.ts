import type { MessageLimits } from "./message-limits.js";
import { createMessageScanner, type MessageId } from "./message-scanner.js";
import { createTextBuffer } from "./text-buffer.js";

/** A line that may be parsed, or the reason why the line must not be parsed. */
export type RpcLine = { readonly text: string } | RefusedMessage;

/** A message beyond a limit. */
export interface RefusedMessage {
  /** The limit that the message exceeds, such as `of more than 10 bytes`. */
  readonly fault: string;
  /** Id of the call that the message would have answered; undefined if the message is not an answer. */
  readonly answeredId: MessageId | undefined;
}

/** Splits a stream of bytes into lines of JSON-RPC. */
export interface RpcLineReader {
  /**
   * Returns the lines that this chunk completes. Throws {@link RangeError} if a line is longer than
   * `maxSkippedBytes`.
   */
  push(chunk: Buffer): readonly RpcLine[];
}

const NEWLINE = 0x0a;

/** Creates a reader that buffers at most one unfinished line, and no bytes of a line beyond the limits. */
export function createRpcLineReader(limits: MessageLimits): RpcLineReader {
  const pending = createTextBuffer();
  let scanner = createMessageScanner(limits);
  let length = 0;

  function collect(bytes: Buffer): void {
    scanner.push(bytes);
    length += bytes.length;
    if (length > limits.maxSkippedBytes) {
      throw new RangeError(`a line of more than ${limits.maxSkippedBytes} bytes`);
    }
    if (scanner.fault === undefined) pending.append(bytes);
    else pending.clear();
  }

  function endLine(bytes: Buffer): RpcLine {
    collect(bytes);
    const { fault, answeredId } = scanner;
    const text = pending.take();
    scanner = createMessageScanner(limits);
    length = 0;
    return fault === undefined ? { text } : { fault, answeredId };
  }

  return {
    push(chunk) {
      const lines: RpcLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(endLine(chunk.subarray(start, end)));
        start = end + 1;
      }
      collect(chunk.subarray(start));
      return lines.filter((line) => !("text" in line) || line.text.trim() !== "");
    },
  };
}
