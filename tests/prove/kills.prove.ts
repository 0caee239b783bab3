import { test } from "vitest";
import { proveKills } from "../e2e/support/prove-kills.js";
import { recordProof } from "./record-proof.js";

const COUNT = 200;

test(`a server that is killed ${COUNT} times loses and repeats no event and runs no tool twice`, async () => {
  const seed = Date.now() % 1_000_000;
  await recordProof(`kill -9 at any moment (seed ${seed})`, COUNT, async () => {
    const { completed, interrupted } = await proveKills(COUNT, seed);
    return `held: ${completed} tasks completed, ${interrupted} ended as interrupted`;
  });
});
