import { test } from "vitest";
import { proveRaces } from "../e2e/support/prove-races.js";
import { recordProof } from "./record-proof.js";

const COUNT = 1_000;

test(`exactly one of two simultaneous answers is accepted in each of ${COUNT} races`, async () => {
  await recordProof("two answers to one question at once", COUNT, async () => {
    const [ide, phone] = await proveRaces(COUNT);
    return `held: one winner each; the first client won ${ide}, the second ${phone}`;
  });
});
