import { expect, test } from "vitest";
import { createInFlight } from "./in-flight.js";

test("work with the same key is shared while it runs", async () => {
  const inFlight = createInFlight<number>();
  let count = 0;
  const work = async () => {
    count += 1;
    return count;
  };

  const together = [
    inFlight.share("a", work),
    inFlight.share("a", work),
    inFlight.share("b", work),
  ];

  expect(await Promise.all(together)).toEqual([1, 1, 2]);
  expect(await inFlight.share("a", work)).toBe(3);
});

test("work that fails rejects for all callers, and runs again for the next caller", async () => {
  const inFlight = createInFlight<string>();
  const fail = () => Promise.reject(new Error("no"));

  const together = [inFlight.share("a", fail), inFlight.share("a", fail)];

  expect(await Promise.allSettled(together)).toMatchObject([
    { reason: { message: "no" } },
    { reason: { message: "no" } },
  ]);
  expect(await inFlight.share("a", async () => "done")).toBe("done");
});
