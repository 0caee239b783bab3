interface AbortCallbacks {
  readonly callbacks: Set<() => void>;
  notify(): void;
}

const listened = new WeakMap<AbortSignal, AbortCallbacks>();

/**
 * Calls `callback` when a signal aborts, or at once if the signal has already aborted; returns a
 * function that removes the callback. All callbacks of one signal share one listener, because Node
 * warns of a leak if a signal has more than ten listeners.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  if (signal.aborted) return () => {};
  const { callbacks, notify } = listened.get(signal) ?? listenTo(signal);
  // The callback is wrapped, so that the same function can be added twice.
  const entry = () => callback();
  callbacks.add(entry);
  return () => {
    callbacks.delete(entry);
    if (callbacks.size > 0 || listened.get(signal)?.notify !== notify) return;
    listened.delete(signal);
    signal.removeEventListener("abort", notify);
  };
}

function listenTo(signal: AbortSignal): AbortCallbacks {
  const callbacks = new Set<() => void>();
  const notify = () => {
    for (const callback of [...callbacks]) if (callbacks.has(callback)) callback();
  };
  const entry = { callbacks, notify };
  listened.set(signal, entry);
  signal.addEventListener("abort", notify);
  return entry;
}

/** Resolves like the promise, or rejects with the reason of a signal that aborts first. */
export async function untilAborted<TValue>(
  promise: Promise<TValue>,
  signal: AbortSignal | undefined,
): Promise<TValue> {
  if (signal === undefined) return await promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}

/** A signal that aborts when one of its sources aborts, unless `release` was called before. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Stops following the sources, which may live much longer than this signal. */
  release(): void;
}

/**
 * Creates a signal that aborts when the first of its sources aborts. `AbortSignal.any` is not used, because
 * several runtimes keep its result in memory as long as the sources live. That leaks memory in a client
 * that stays connected.
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const stops: (() => void)[] = [];
  for (const source of sources) {
    if (source === undefined) continue;
    stops.push(onAbort(source, () => controller.abort(source.reason)));
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release() {
      for (const stop of stops) stop();
    },
  };
}
