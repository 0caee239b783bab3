import { createByteBuffer } from "../../model/byte-buffer.js";
import type { MessageLimits } from "./message-limits.js";
import { createMessageScanner } from "./message-scanner.js";
import type { RefusedMessage } from "./rpc-line-reader.js";

/** Passes on the server-sent events of a stream, and replaces those beyond the limits. */
export interface EventFilter {
  /**
   * Returns the events that these bytes complete. Throws {@link RangeError} if an event is longer than
   * `maxSkippedBytes`.
   */
  push(bytes: Uint8Array): Uint8Array;
}

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = new Uint8Array();
const DATA_FIELD = "data:";
const KNOWN_FIELD = /^(data|event|id|retry):/;
const MAX_FIELD_LENGTH = "retry:".length;

/**
 * Creates a filter. `replace` returns the event that replaces a refused event, or an empty text to drop it.
 *
 * Comments and unknown fields are dropped, so that the next parser sees only text that was scanned.
 */
export function createEventFilter(
  limits: MessageLimits,
  replace: (refused: RefusedMessage) => string,
): EventFilter {
  const kept = createByteBuffer();
  const passed = createByteBuffer();
  let scanner = createMessageScanner(limits);
  /** Number of bytes of the current event so far, without line endings. */
  let length = 0;
  /** Number of kept bytes before the current line. To remove the line, `kept` is truncated to this length. */
  let keptBeforeLine = 0;
  let field = "";
  let isLineEmpty = true;
  let last = 0;

  const findFault = () =>
    scanner.fault ??
    (length > limits.maxBytes ? `of more than ${limits.maxBytes} bytes` : undefined);

  function endEvent(): void {
    const fault = findFault();
    const whole = kept.takeWith(Uint8Array.of(LF));
    if (fault === undefined) passed.append(whole);
    else passed.append(Buffer.from(replace({ fault, answeredId: scanner.answeredId })));
    scanner = createMessageScanner(limits);
    length = 0;
  }

  function endLine(): void {
    if (isLineEmpty) endEvent();
    else if (KNOWN_FIELD.test(field)) kept.append(Uint8Array.of(LF));
    else kept.truncate(keptBeforeLine);
    keptBeforeLine = kept.length;
    field = "";
    isLineEmpty = true;
  }

  function pushPiece(piece: Uint8Array): void {
    if (piece.length === 0) return;
    isLineEmpty = false;
    length += piece.length;
    if (length > limits.maxSkippedBytes) {
      throw new RangeError(`an event of more than ${limits.maxSkippedBytes} bytes`);
    }
    const fieldBytes = Math.min(MAX_FIELD_LENGTH - field.length, piece.length);
    const dataOffset = Math.max(0, DATA_FIELD.length - field.length);
    if (fieldBytes > 0) field += Buffer.from(piece.subarray(0, fieldBytes)).toString("latin1");
    if (field.startsWith(DATA_FIELD)) scanner.push(piece.subarray(dataOffset));
    if (findFault() === undefined) kept.append(piece);
    else kept.truncate(0);
  }

  return {
    push(bytes) {
      let start = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        if (byte === LF || byte === CR) {
          pushPiece(bytes.subarray(start, at));
          start = at + 1;
          // CR LF is one line ending.
          if (byte === CR || last !== CR) endLine();
        }
        last = byte;
      }
      pushPiece(bytes.subarray(start));
      return passed.takeWith(NOTHING);
    },
  };
}
