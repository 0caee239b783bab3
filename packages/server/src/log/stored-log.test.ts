import { expect, test } from "vitest";
import { systemClock } from "../clock.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { commitTo } from "../testing/commit-to.js";
import { first, session } from "../testing/store-checks.js";
import { createStoredLog } from "./stored-log.js";

/** Opens the log of a stored session with three events. */
async function openLog() {
  const store = openMemoryStore();
  await commitTo(store, [first([1, 2, 3])]);
  return createStoredLog({ session, store, clock: systemClock, lastPosition: () => 3 });
}

test("a cursor is located if its event is in the log, and refused otherwise", async () => {
  const log = await openLog();
  const cursor = await log.cursorAt(2);

  expect(await log.locate(cursor)).toBe(2);
  for (const at of [
    { position: 4, epoch: 1 },
    { position: 2, epoch: 9 },
  ])
    await expect(log.locate(log.cursors.encode(at))).rejects.toMatchObject({
      code: "cursor-not-found",
      message: expect.stringMatching(
        /^the cursor .* names an event that is not in the log of this session; load the task again$/,
      ),
    });
});

test("if readers have not paused for a while, other work runs before a page is read [SEC-09]", async () => {
  const store = openMemoryStore();
  await commitTo(store, [first([1, 2, 3])]);
  const clock = { elapsedMs: () => systemClock.elapsedMs() + 60_000 };
  const log = createStoredLog({ session, store, clock, lastPosition: () => 3 });
  const order: unknown[] = [];
  setImmediate(() => order.push("other work"));

  const page = await log.readPage(1);
  order.push(page.map(({ position }) => position));

  expect(order).toEqual(["other work", [2, 3]]);
});
