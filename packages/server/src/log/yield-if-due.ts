import { setImmediate } from "node:timers/promises";

/** Longest time that readers of old events may block other work. */
const MAX_BUSY_MS = 8;

let yieldedAt = 0;

/** Lets other work run, unless it could run less than {@link MAX_BUSY_MS} ago. More pauses would only cost time. */
export async function yieldIfDue(elapsedMs: () => number): Promise<void> {
  const busyMs = elapsedMs() - yieldedAt;
  // The difference is negative if the last pause was timed by another clock.
  if (busyMs >= 0 && busyMs < MAX_BUSY_MS) return;
  await setImmediate();
  yieldedAt = elapsedMs();
}
