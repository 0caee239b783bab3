import { expect, test } from "vitest";
import { proveKills } from "./support/prove-kills.js";

test("killed -9 at any moment, the server loses nothing, repeats nothing and runs no tool twice: a sample of 6 [LOG-01, LOG-02, LOG-03, LOG-05]", async () => {
  const { completed, interrupted } = await proveKills(6, 20_260);

  expect(completed + interrupted).toBe(6);
}, 240_000);
