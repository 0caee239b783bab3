import { expect, test } from "vitest";
import { proveNoLeaks } from "./support/prove-leaks.js";

test("an evicted session can be garbage-collected [SEC-09]", async () => {
  // Each round runs four sessions.
  expect(await proveNoLeaks(8)).toBe(8 * 4);
});
