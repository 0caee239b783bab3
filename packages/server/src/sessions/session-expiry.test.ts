import { expect, test } from "vitest";
import { createSessionExpiry } from "./session-expiry.js";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const START = Date.parse("2026-06-01T00:00:00.000Z");

/** Creates an expiry with a time to live of one week. `stored` has the time of the last activity of each session. */
function openExpiry(stored: Readonly<Record<string, number>>) {
  const clock = { ms: START, elapsedMs: 0 };
  const expiry = createSessionExpiry({
    ttlMs: 7 * DAY,
    now: () => new Date(clock.ms),
    elapsedMs: () => clock.elapsedMs,
    store: {
      listUntouched: async (since) =>
        Object.keys(stored).filter((id) => new Date(stored[id] ?? 0).toISOString() < since),
    },
  });
  /** Moves both clocks forward in steps of half an hour. Returns the sessions that expired at any of these steps. */
  async function pass(ms: number): Promise<readonly string[]> {
    const expired = new Set(await expiry.findExpired());
    for (let passed = 0; passed < ms; passed += HOUR / 2) {
      clock.ms += HOUR / 2;
      clock.elapsedMs += HOUR / 2;
      for (const id of await expiry.findExpired()) expired.add(id);
    }
    return [...expired];
  }
  return { clock, expiry, pass };
}

test("an unused session expires an hour after the start if its time to live has passed [SRV-21]", async () => {
  const { expiry, pass } = openExpiry({ old: START - 8 * DAY, recent: START - DAY });

  expect(await expiry.findExpired()).toEqual([]);
  expect(await pass(HOUR)).toEqual(["old"]);
});

test("no session expires if the wall clock jumps forward while the server runs [LOG-07]", async () => {
  const { clock, pass } = openExpiry({ stored: START - DAY });

  await pass(HOUR);
  clock.ms += YEAR;

  expect(await pass(DAY)).toEqual([]);
});

test("no session expires if the wall clock is ahead at the start and corrected later [LOG-07]", async () => {
  const { clock, pass } = openExpiry({ stored: START - DAY });
  clock.ms += YEAR;

  const whileAhead = await pass(HOUR / 2);
  clock.ms -= YEAR;

  expect([...whileAhead, ...(await pass(DAY))]).toEqual([]);
});

test("a session that was used while the wall clock was behind does not expire [LOG-07]", async () => {
  const { clock, expiry, pass } = openExpiry({ used: START - 6 * YEAR });
  clock.ms -= 6 * YEAR;
  expiry.touch("used");

  await pass(HOUR);
  clock.ms += 6 * YEAR;

  expect(await pass(DAY)).toEqual([]);
});

test("a session in use never expires, whatever the wall clock shows [LOG-07]", async () => {
  const { clock, expiry, pass } = openExpiry({ used: START - YEAR });
  const expired: string[] = [];

  for (const jump of [YEAR, -2 * YEAR, 5 * YEAR, -4 * YEAR]) {
    clock.ms += jump;
    expiry.touch("used");
    expired.push(...(await pass(6 * DAY)));
  }

  expect(expired).toEqual([]);
});

test("a session that was used expires an hour after its time to live has passed", async () => {
  const { expiry, pass } = openExpiry({ used: START - YEAR });
  expiry.touch("used");

  const before = await pass(7 * DAY + HOUR / 2);

  expect([before, await pass(HOUR / 2)]).toEqual([[], ["used"]]);
});

test("a session with a stored time in the future does not expire before that time [LOG-07]", async () => {
  const { pass } = openExpiry({ future: START + YEAR });

  expect(await pass(10 * DAY)).toEqual([]);
});

test("no session expires if there is no time to live", async () => {
  const store = { listUntouched: () => Promise.reject(new Error("asked")) };
  const ttlMs = Number.POSITIVE_INFINITY;
  const expiry = createSessionExpiry({ store, ttlMs, now: () => new Date(), elapsedMs: () => 0 });
  expiry.touch("a");

  expect(await expiry.findExpired()).toEqual([]);
});
