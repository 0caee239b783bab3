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
