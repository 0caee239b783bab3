import { TransportError } from "../errors/transport-error.js";
import type { StreamResult } from "./transport.js";

/** How many results of one stream may wait for whoever reads it, and how much text they may be. */
export interface QueueBounds {
  readonly maxFrames: number;
  readonly maxLength: number;
}

/** About a second of a busy agent. */
export const DEFAULT_QUEUE_BOUNDS: QueueBounds = { maxFrames: 2_000, maxLength: 8 * 1024 * 1024 };

/** The results of one stream between a socket that brings them and a loop that takes them. */
export interface FrameQueue {
  /** Adds a result; false at the bound: then it is not kept, and what follows is not wanted. */
  push(frame: StreamResult, length: number): boolean;
  /** No more will come; `reason` is thrown after what is here has been taken. */
  end(reason?: unknown): void;
  /** The next result; undefined at the end. */
  take(): Promise<StreamResult | undefined>;
}

/**
 * Creates a queue with a bound. A socket cannot be told to wait, so what a slow reader cannot hold is
 * left to the agent: the queue ends with `lagged` behind what it holds, and the reader asks again from
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
