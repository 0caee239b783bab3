import { test } from "vitest";
import { proveFlips } from "../e2e/support/prove-flips.js";
import { recordProof } from "./record-proof.js";

const COUNT = 200;

test(`${COUNT} flipped bits in the data file never change the content that is served [LOG-06]`, async () => {
  const seed = Date.now() % 1_000_000;
  await recordProof(`one flipped bit in the data file (seed ${seed})`, COUNT, async () => {
    const { right, session, store } = await proveFlips(COUNT, seed);
    return `held: ${right} served as written, ${session} closed their session, ${store} reported the file`;
  });
});
