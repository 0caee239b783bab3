import { type LinkedSignal, linkSignals } from "../transport/linked-signal.js";
import type { EventsOptions, TaskHandle } from "./task-handle.js";

/** A handle whose events can be left while the next one is awaited: a generator alone would wait for it. */
export function leavingAtOnce(handle: TaskHandle): TaskHandle {
  const { events } = handle;
  return Object.assign(handle, {
    events: ({ signal, ...options }: EventsOptions = {}) =>
      leavable((left) => events({ ...options, signal: left }), signal),
  });
}

function leavable<TItem>(
  read: (signal: AbortSignal) => AsyncIterable<TItem>,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<TItem> {
  let reading: { readonly link: LinkedSignal; readonly items: AsyncIterator<TItem> } | undefined;
  let hasLeft = false;
  let pending = 0;
  const ended = { done: true, value: undefined } as const;

  function begin() {
    const link = linkSignals(signal);
    return { link, items: read(link.signal)[Symbol.asyncIterator]() };
  }

  const iterator: AsyncIterableIterator<TItem> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      if (hasLeft) return ended;
      reading ??= begin();
      pending += 1;
      let isOver = true;
      try {
        const item = await reading.items.next();
        isOver = item.done === true;
        return item;
      } catch (reason) {
        if (hasLeft) return ended;
        throw reason;
      } finally {
        pending -= 1;
        if (isOver) reading.link.release();
      }
    },
    async return() {
      hasLeft = true;
      if (pending > 0) reading?.link.abort(undefined);
      await reading?.items.return?.();
      reading?.link.release();
      return ended;
    },
  };
  return iterator;
}
