import { expect, test } from "vitest";
import { runLimited } from "./run-limited.js";

test("at most 16 requests run at the same time, and the results are in the order of the items", async () => {
  const items = Array.from({ length: 40 }, (_, index) => index);
  let running = 0;
  let most = 0;

  const results = await runLimited(items, async (item) => {
    running += 1;
    most = Math.max(most, running);
    // Later items finish first.
    for (let turn = item % 4; turn < 4; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 2;
  });

  expect(most).toBe(16);
  expect(results).toEqual(items.map((item) => item * 2));
});

test("without items there is no request, and the first error of a request is thrown", async () => {
  const failing = runLimited([1, 2, 3], async (item) => {
    if (item === 2) throw new Error("no answer");
  });

  await expect(failing).rejects.toThrow("no answer");
  expect(await runLimited([], () => Promise.reject(new Error("not called")))).toEqual([]);
});
