import { test } from "vitest";
import { proveRaces } from "../e2e/support/prove-races.js";
import { recordProof } from "./record-proof.js";

const COUNT = 1_000;

test(`of two answers at once one wins and the other is told whose it was: ${COUNT} races`, async () => {
  await recordProof("two answers to one question at once", COUNT, async () => {
    const [ide, phone] = await proveRaces(COUNT);
    return `held: one winner each; the first client won ${ide}, the second ${phone}`;
  });
});
