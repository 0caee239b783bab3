import { createSessionExpiry } from "@dt/server/testing";
import { test } from "vitest";
import { createRandom } from "../e2e/support/random.js";
import { recordProof } from "./record-proof.js";

const COUNT = 10_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const TTL_MS = 7 * DAY_MS;

/**
 * Runs sessions with a clock that jumps, and sweeps them every six hours. Returns the number of expired
 * sessions. Throws if a session expired although it was used within its time to live.
 */
async function runWithJumpingClock(seed: number): Promise<number> {
  const random = createRandom(seed);
  const clock = { ms: Date.parse("2026-06-01T00:00:00.000Z"), elapsedMs: 0 };
  const stored = new Map<string, number>();
  const usedAt = new Map<string, number>();
  const expiry = createSessionExpiry({
    ttlMs: TTL_MS,
    now: () => new Date(clock.ms),
    elapsedMs: () => clock.elapsedMs,
    store: {
      listUntouched: async (since) =>
        [...stored].filter(([, at]) => new Date(at).toISOString() < since).map(([id]) => id),
    },
  });
  let deleted = 0;
  for (let hour = 0; hour < 40 * 24; hour += 6) {
    clock.ms += 6 * HOUR_MS;
    clock.elapsedMs += 6 * HOUR_MS;
    if (random(20) === 0) clock.ms += (random(2) === 0 ? 1 : -1) * random(800) * DAY_MS;
    const id = `s-${random(8)}`;
    if (random(3) === 0) {
      expiry.touch(id);
      usedAt.set(id, clock.elapsedMs);
      // A store never sets the last activity to an earlier time.
      stored.set(id, Math.max(stored.get(id) ?? 0, clock.ms));
    }
    for (const expired of await expiry.findExpired()) {
      const unusedMs = clock.elapsedMs - (usedAt.get(expired) ?? 0);
      if (unusedMs < TTL_MS)
        throw new Error(`seed ${seed}: ${expired} expired, but was used ${unusedMs} ms ago`);
      stored.delete(expired);
      deleted += 1;
    }
  }
  return deleted;
}

test(`no session expires within its time to live when the clock jumps, in ${COUNT} runs [LOG-07]`, async () => {
  await recordProof("a clock that jumps by up to 800 days, back and forth", COUNT, async () => {
    let deleted = 0;
    for (let seed = 0; seed < COUNT; seed += 1) deleted += await runWithJumpingClock(seed);
    return `held: ${deleted} sessions were deleted, each unused for its time to live`;
  });
});
