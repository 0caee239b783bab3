import { TransportError } from "../errors/transport-error.js";
import type { StreamResult } from "./transport.js";

/** Limits of the buffered results of one stream: their number and their total length. */
export interface QueueBounds {
  readonly maxFrames: number;
  readonly maxLength: number;
}

/** Default limits. While nothing is read, a busy agent fills a queue in about one second. */
export const DEFAULT_QUEUE_BOUNDS: QueueBounds = { maxFrames: 2_000, maxLength: 8 * 1024 * 1024 };

/** Buffer of one stream between a socket and a loop. */
export interface FrameQueue {
  /** Adds a result. Returns false at the bound; the result is then dropped, and the queue ends. */
  push(frame: StreamResult, length: number): boolean;
  /** Ends the queue; `reason` is thrown after the buffered results. */
  end(reason?: unknown): void;
  /** Returns the next result; undefined at the end. */
  take(): Promise<StreamResult | undefined>;
}

/**
 * Creates a queue with a bound, because a socket cannot be paused. If the loop reads too slowly, the
 * queue ends with the error `lagged` after its buffered results. The client then subscribes again from
 * its last cursor.
 */
export function createFrameQueue(bounds: QueueBounds): FrameQueue {
  let waiting: { readonly frame: StreamResult; readonly length: number }[] = [];
  let taken = 0;
  let length = 0;
  let ended: { readonly reason?: unknown } | undefined;
  let wake: (() => void) | undefined;

  function end(reason?: unknown): void {
    ended ??= { reason };
    wake?.();
  }

  return {
    end,
    push(frame, frameLength) {
      if (ended !== undefined) return false;
      const count = waiting.length - taken;
      if (count > 0 && (count >= bounds.maxFrames || length + frameLength > bounds.maxLength)) {
        end(new TransportError("lagged", "events came faster than they were read"));
        return false;
      }
      waiting.push({ frame, length: frameLength });
      length += frameLength;
      wake?.();
      return true;
    },
    async take() {
      for (;;) {
        const next = waiting[taken];
        if (next !== undefined) {
          taken += 1;
          length -= next.length;
          if (taken === waiting.length) {
            waiting = [];
            taken = 0;
          }
          return next.frame;
        }
        if (ended?.reason !== undefined) throw ended.reason;
        if (ended !== undefined) return undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
