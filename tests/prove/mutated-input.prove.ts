import { test } from "vitest";
import { proveMutatedInput } from "../e2e/acp/prove-mutated-input.js";
import { recordProof } from "./record-proof.js";

const COUNT = 10_000;
const SEED = Date.now() % 1_000_000;

test(`dt survives ${COUNT} mutated lines of an editor`, async () => {
  await recordProof("mutated lines on the input of dt acp", COUNT, async () => {
    const lines = await proveMutatedInput(COUNT, SEED);
    return `held: dt did not exit or hang; all ${lines} lines that it wrote were protocol messages; seed ${SEED}`;
  });
});
