import { setTimeout } from "node:timers/promises";

/** Waits for a time. Resolves early, without an error, when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits with `setTimeout`. */
export const abortableSleep: Sleep = async (ms, signal) => {
  if (signal.aborted) return;
  await setTimeout(ms, undefined, { signal }).catch(() => {});
};
