import { expect, test } from "vitest";
import { proveKills } from "./support/prove-kills.js";

test("a server that is killed six times loses and repeats no event and runs no tool twice [LOG-01, LOG-02, LOG-03, LOG-05]", async () => {
  const { completed, interrupted } = await proveKills(6, 20_260);

  expect(completed + interrupted).toBe(6);
});
