import { createByteBuffer } from "../byte-buffer.js";
import { ModelFailure } from "../retry/model-failure.js";
import type { ReplyLimits } from "./reply-limits.js";

/** Splits an event stream so that no piece ends within an event. */
export interface EventSplitter {
  /**
   * Adds bytes. Returns the bytes of all events that are now complete; undefined if no event is complete.
   * Throws {@link ModelFailure} if an event or the reply is too large.
   */
  push(bytes: Uint8Array): Uint8Array | undefined;
  /** Returns the bytes of the unfinished event at the end of the stream. */
  end(): Uint8Array;
}

const LF = 10;
const CR = 13;

/**
 * Creates a splitter that reads every byte once. Without the splitter, the parser would search an unfinished
 * event from its beginning for each new chunk.
 */
export function createEventSplitter(
  limits: Pick<ReplyLimits, "maxEventBytes" | "maxReplyBytes">,
): EventSplitter {
  const unfinished = createByteBuffer();
  let replyBytes = 0;
  let eventBytes = 0;
  let last = 0;
  let beforeLast = 0;

  /** Returns the offset after the last complete event, or 0. A blank line ends an event. */
  function findEnd(bytes: Uint8Array): number {
    let end = 0;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      eventBytes += 1;
      const isEnd =
        (byte === LF && (last === LF || (last === CR && beforeLast === LF))) ||
        (byte === CR && last === CR);
      if (isEnd) {
        end = index + 1;
        eventBytes = 0;
      }
      if (eventBytes > limits.maxEventBytes) throw tooLarge("an event", limits.maxEventBytes);
      beforeLast = last;
      last = byte;
    }
    return end;
  }

  return {
    push(bytes) {
      replyBytes += bytes.length;
      if (replyBytes > limits.maxReplyBytes) throw tooLarge("a reply", limits.maxReplyBytes);
      const end = findEnd(bytes);
      if (end === 0) {
        unfinished.append(bytes);
        return undefined;
      }
      const whole = unfinished.takeWith(bytes.subarray(0, end));
      unfinished.append(bytes.subarray(end));
      return whole;
    },
    end: () => unfinished.takeWith(new Uint8Array()),
  };
}

// Builds the failure for too much data. It is not transient, because the model would send as much again after
// a retry.
function tooLarge(what: string, maxBytes: number): ModelFailure {
  const size = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${maxBytes / 1024 / 1024} MiB`;
  return new ModelFailure(`the model sent ${what} of more than ${size}`, { isTransient: false });
}
