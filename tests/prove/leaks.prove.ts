import { test } from "vitest";
import { proveNoLeaks } from "../e2e/support/prove-leaks.js";
import { recordProof } from "./record-proof.js";

/** Number of rounds. Each round runs four sessions. */
const ROUNDS = 250;

test("a thousand evicted sessions can be garbage-collected [SEC-09]", async () => {
  await recordProof("ended sessions are garbage-collected", ROUNDS * 4, async () => {
    return `held: no part of ${await proveNoLeaks(ROUNDS)} sessions was left`;
  });
});
