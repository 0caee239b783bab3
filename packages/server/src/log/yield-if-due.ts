import { setImmediate } from "node:timers/promises";

/** Longest time in milliseconds that readers of old events may keep other work waiting. */
const MAX_BUSY_MS = 8;

let yieldedAt = 0;

/** Lets other work run if none could for a while; not at every page, because that takes time. */
export async function yieldIfDue(elapsedMs: () => number): Promise<void> {
  if (elapsedMs() - yieldedAt < MAX_BUSY_MS) return;
  await setImmediate();
  yieldedAt = elapsedMs();
}
