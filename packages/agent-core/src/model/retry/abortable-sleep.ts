import { setTimeout } from "node:timers/promises";

/** Waits; ends early, without an error, when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The wait of the real clock. */
export const sleep: Sleep = async (ms, signal) => {
  if (signal.aborted) return;
  await setTimeout(ms, undefined, { signal }).catch(() => {});
};
