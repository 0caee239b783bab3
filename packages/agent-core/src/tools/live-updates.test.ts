import { afterEach, expect, test, vi } from "vitest";
import { LIVE_BUDGET } from "./live-pacing.js";
import { openLiveUpdates } from "./live-updates.js";

afterEach(() => {
  vi.useRealTimers();
});

const tail = `${"x".repeat(79)}\n`.repeat(50);

/** Opens live updates with fake timers and collects the updates. */
function openOnFakeClock(text: () => string = () => tail) {
  vi.useFakeTimers({ now: 0 });
  const updates: { at: number; content: string }[] = [];
  const live = openLiveUpdates({
    text,
    print: (content) => updates.push({ at: Date.now(), content }),
    overheadBytes: 1_500,
    elapsedMs: () => Date.now(),
  });
  return { live, updates };
}

/** Returns the size of the updates on the wire, with 1.5 kB of overhead for each. */
function costOf(updates: readonly { content: string }[]): number {
  return updates.reduce(
    (sum, { content }) => sum + Buffer.byteLength(JSON.stringify(content)) + 1_500,
    0,
  );
}

test("the first output is shown immediately [RFC-12]", () => {
  const { live, updates } = openOnFakeClock();

  live.changed();

  expect(updates).toEqual([{ at: 0, content: tail }]);
});

test("80 changes within 50 ms cost less than 10 kB of updates [RFC-12]", () => {
  const { live, updates } = openOnFakeClock();

  for (let piece = 0; piece < 80; piece += 1) live.changed();
  vi.advanceTimersByTime(50);
  live.close();

  expect(costOf(updates)).toBeLessThan(10_000);
});

test.each([
  ["ten minutes", 600_000],
  ["an hour", 3_600_000],
])(
  "output that lasts %s is shown until its end, and its updates stay within the budget",
  (_name, totalMs) => {
    const { live, updates } = openOnFakeClock();

    for (let at = 0; at < totalMs; at += 50) {
      live.changed();
      vi.advanceTimersByTime(50);
    }
    live.close();

    expect(costOf(updates)).toBeLessThanOrEqual(LIVE_BUDGET.totalBytes);
    expect(totalMs - updates.at(-1)!.at).toBeLessThan(totalMs / 10);
  },
);

test("updates start at ten per second and then slow down", () => {
  const { live, updates } = openOnFakeClock();
  const between = (from: number, to: number) =>
    updates.filter(({ at }) => at >= from && at < to).length;

  for (let at = 0; at < 600_000; at += 50) {
    live.changed();
    vi.advanceTimersByTime(50);
  }

  const gaps = updates.slice(1).map(({ at }, index) => at - updates[index]!.at);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
  expect(between(0, 500)).toBe(5);
  const perSecond = [between(0, 1000), between(1000, 11_000) / 10, between(60_000, 120_000) / 60];
  expect(perSecond).toEqual([...perSecond].sort((one, other) => other - one));
  expect(perSecond.at(-1)).toBeGreaterThan(0.1);
});

test("small updates come more often than large updates", () => {
  const small = openOnFakeClock(() => "ok");
  for (let at = 0; at < 60_000; at += 50) {
    small.live.changed();
    vi.advanceTimersByTime(50);
  }
  const large = openOnFakeClock();
  for (let at = 0; at < 60_000; at += 50) {
    large.live.changed();
    vi.advanceTimersByTime(50);
  }

  expect(small.updates.length).toBeGreaterThan(2 * large.updates.length);
});

test("output that comes too soon after an update is shown with the next update", () => {
  let text = "first";
  const { live, updates } = openOnFakeClock(() => text);
  live.changed();
  text = "first, last";

  live.changed();
  vi.advanceTimersByTime(1000);

  expect(updates).toEqual([
    { at: 0, content: "first" },
    { at: 100, content: "first, last" },
  ]);
});

test("no update is shown after close", () => {
  const { live, updates } = openOnFakeClock();
  live.changed();
  live.changed();

  live.close();
  live.changed();
  vi.advanceTimersByTime(60_000);

  expect(updates).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
