import { setImmediate } from "node:timers/promises";

/** Longest time that readers of old events may block other work. */
const MAX_BUSY_MS = 8;

let yieldedAt = 0;

/**
 * Lets other work run if the last pause was {@link MAX_BUSY_MS} or more ago. A pause after every page would make
 * readers slow.
 */
export async function yieldIfDue(elapsedMs: () => number): Promise<void> {
  if (elapsedMs() - yieldedAt < MAX_BUSY_MS) return;
  await setImmediate();
  yieldedAt = elapsedMs();
}
