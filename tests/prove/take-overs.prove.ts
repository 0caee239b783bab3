import { test } from "vitest";
import { proveTakeOvers } from "../e2e/support/prove-take-overs.js";
import { recordProof } from "./record-proof.js";

/** Number of take-overs. DT_PROVE_TAKE_OVERS replaces it, for a short run. */
const COUNT = 300;

test(`if one of three instances is killed, ${COUNT} times, no event is lost or repeated and no tool runs twice [SRV-27]`, async () => {
  const seed = Date.now() % 1_000_000;
  const count = Number(process.env.DT_PROVE_TAKE_OVERS ?? COUNT);
  await recordProof(`kill -9 of one of three instances (seed ${seed})`, count, async () => {
    const { completed, interrupted } = await proveTakeOvers(count, seed);
    return `held: ${completed} tasks completed, ${interrupted} ended as interrupted`;
  });
});
