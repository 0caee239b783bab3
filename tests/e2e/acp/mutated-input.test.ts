import { expect, test } from "vitest";
import { proveMutatedInput } from "./prove-mutated-input.js";

test("dt survives mutated lines from an editor and writes only messages of the protocol [ACP-01, SEC-09]", async () => {
  expect(await proveMutatedInput(500, 7)).toBeGreaterThan(100);
});
