import { expect, test } from "vitest";
import { createRepeatedWork } from "./repeated-work.js";

test("work that is asked for while it ends is done once more", async () => {
  const done: string[] = [];
  let known = "a";
  const work = createRepeatedWork(async () => {
    const seen = known;
    await Promise.resolve();
    done.push(seen);
    // A change that comes after the last look at what is there.
    if (known === "a") {
      known = "b";
      work.request();
    }
  });

  work.request();
  await work.idle();

  expect(done).toEqual(["a", "b"]);
});

test("work that is asked for many times while it runs is done once more, not many times", async () => {
  let runs = 0;
  const work = createRepeatedWork(async () => {
    runs += 1;
    await Promise.resolve();
  });

  for (let n = 0; n < 5; n += 1) work.request();
  await work.idle();
  work.request();
  await work.idle();

  expect(runs).toBe(3);
});
