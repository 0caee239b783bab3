import { expect, test } from "vitest";
import { proveNoLeaks } from "./support/prove-leaks.js";

test("no reference to an ended and evicted session is left [SEC-09]", async () => {
  // Each round runs four sessions.
  expect(await proveNoLeaks(8)).toBe(8 * 4);
});
