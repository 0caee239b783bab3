import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { followSignal } from "./follow-signal.js";

test("the created signal aborts with the followed signal, or at once if that has aborted already", () => {
  const followed = new AbortController();
  using before = followSignal(followed.signal);

  followed.abort("enough");
  using after = followSignal(followed.signal);

  expect([before.signal.reason, after.signal.reason]).toEqual(["enough", "enough"]);
});

test("a disposed signal leaves no listener behind", () => {
  const followed = new AbortController();

  followSignal(followed.signal)[Symbol.dispose]();

  expect(getEventListeners(followed.signal, "abort")).toEqual([]);
});
