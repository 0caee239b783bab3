import { test } from "vitest";
import { proveFaults } from "../e2e/support/prove-faults.js";
import { recordProof } from "./record-proof.js";

const COUNT = 1_000;

test(`connection faults at any byte lose no event and repeat no event in ${COUNT} runs`, async () => {
  const seed = Date.now() % 1_000_000;
  await recordProof(`faults between client and server (seed ${seed})`, COUNT, async () => {
    const { faults, reconnects } = await proveFaults(COUNT, seed);
    return `held: ${faults} connections cut or stalled, ${reconnects} reconnects`;
  });
});
