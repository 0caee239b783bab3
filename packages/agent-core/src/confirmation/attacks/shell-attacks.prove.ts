import { expect, test } from "vitest";
import { attacks } from "./attack-data.test-support.js";
import { openAttackStage } from "./attack-stage.test-support.js";

test("every listed attack works in bash [SEC-07]", async () => {
  await using stage = await openAttackStage();

  expect(await stage.findInert(attacks)).toEqual([]);
});
