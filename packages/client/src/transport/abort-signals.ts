interface Waiting {
  readonly callbacks: Set<() => void>;
  tell(): void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when a signal aborts, at once if it has; returns how to take that back. However many wait
 * for one signal, it has one listener: Node takes more than ten for a leak, and says so.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  if (signal.aborted) return () => {};
  const { callbacks, tell } = waiting.get(signal) ?? listenTo(signal);
  // The same function twice is called twice.
  const entry = () => callback();
  callbacks.add(entry);
  return () => {
    callbacks.delete(entry);
    if (callbacks.size > 0 || waiting.get(signal)?.tell !== tell) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const tell = () => {
    for (const callback of [...callbacks]) if (callbacks.has(callback)) callback();
  };
  const entry = { callbacks, tell };
  waiting.set(signal, entry);
  signal.addEventListener("abort", tell);
  return entry;
}

/** What a promise gives, or the reason of a signal that aborts before. */
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

/** A signal that follows others until it is released. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the others: they may live much longer than what this one is for. */
  release(): void;
}

/**
 * Aborts with the first of some signals. `AbortSignal.any` does the same, but several runtimes keep
 * what it makes for as long as its sources live, which is a leak in a client that stays connected.
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
