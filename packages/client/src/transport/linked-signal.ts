import { onAbort } from "./on-abort.js";

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
