import { expect, test } from "vitest";
import { proveNoLeaks } from "./support/prove-leaks.js";

test("nothing holds a session that has ended and left memory [SEC-09]", async () => {
  expect(await proveNoLeaks(8)).toBe(32);
});
