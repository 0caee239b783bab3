import { test } from "vitest";
import { provePushes } from "../e2e/support/prove-pushes.js";
import { recordProof } from "./record-proof.js";

const COUNT = 60;

test(`a server that is killed ${COUNT} times sends every push delivery in order`, async () => {
  const seed = Date.now() % 1_000_000;
  await recordProof(`kill -9 while the server delivers pushes (seed ${seed})`, COUNT, async () => {
    const { events, repeats } = await provePushes(COUNT, seed);
    return `held: ${events} events arrived in order, ${repeats} calls were marked as repeats`;
  });
});
