import { expect, test } from "vitest";
import { reconnectDelay, sleep } from "./reconnect.js";

const schedule = { baseMs: 100, maxMs: 5_000 };

test("reconnectDelay grows up to a limit, and its random part is at most half of the delay", () => {
  const longest = [0, 1, 2, 3, 10, 1000].map((attempt) => reconnectDelay(attempt, 1, schedule));
  const shortest = [0, 1, 2, 3, 10, 1000].map((attempt) => reconnectDelay(attempt, 0, schedule));

  expect(longest).toEqual([100, 200, 400, 800, 5_000, 5_000]);
  expect(shortest).toEqual([50, 100, 200, 400, 2_500, 2_500]);
});

test("sleep() resolves at once when its signal aborts", async () => {
  const abort = new AbortController();
  const waiting = sleep(60_000, abort.signal);

  abort.abort();

  await expect(waiting).resolves.toBeUndefined();
});
