import { expect, test } from "vitest";
import { createRepeatedWork } from "./repeated-work.js";

test("work that is requested during its run is run once more", async () => {
  const done: string[] = [];
  let known = "a";
  const work = createRepeatedWork(async () => {
    const seen = known;
    await Promise.resolve();
    done.push(seen);
    // This change comes after the work has read the value.
    if (known === "a") {
      known = "b";
      work.request();
    }
  });

  work.request();
  await work.idle();

  expect(done).toEqual(["a", "b"]);
});

test("many requests during one run cause exactly one more run", async () => {
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
