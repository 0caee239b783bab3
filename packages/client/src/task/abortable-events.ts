import type { SessionEvent } from "@dt/schema";
import { type LinkedSignal, linkSignals } from "../transport/abort-signals.js";
import type { EventsOptions, TaskHandle } from "./task-handle.js";

/**
 * Wraps events so that `return()` ends a pending `next()` at once. The `return()` of a generator
 * would wait for the next event.
 */
export function toAbortableEvents(
  read: (options: EventsOptions) => AsyncIterable<SessionEvent>,
): TaskHandle["events"] {
  return ({ signal, ...options } = {}) => {
    let link: LinkedSignal | undefined;
    let items: AsyncIterator<SessionEvent> | undefined;
    let hasLeft = false;
    let awaited = 0;
    const end = () => {
      link?.release();
      return { done: true, value: undefined } as const;
    };

    const iterator: AsyncIterableIterator<SessionEvent> = {
      [Symbol.asyncIterator]: () => iterator,
      async next() {
        if (hasLeft) return end();
        link ??= linkSignals(signal);
        items ??= read({ ...options, signal: link.signal })[Symbol.asyncIterator]();
        awaited += 1;
        try {
          const item = await items.next();
          return item.done === true ? end() : item;
        } catch (reason) {
          end();
          if (!hasLeft) throw reason;
          return end();
        } finally {
          awaited -= 1;
        }
      },
      async return() {
        hasLeft = true;
        if (awaited > 0) link?.abort(undefined);
        await items?.return?.();
        return end();
      },
    };
    return iterator;
  };
}
