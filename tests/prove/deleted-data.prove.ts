import { test } from "vitest";
import { proveDeletedData } from "../e2e/support/prove-deleted-data.js";
import { recordProof } from "./record-proof.js";

const COUNT = 100;

test(`a server whose data directory was deleted refuses ${COUNT} prompts [LOG-07]`, async () => {
  await recordProof("prompts after the data directory was deleted", COUNT, async () => {
    return `held: ${await proveDeletedData(COUNT)} refused with the reason, health was 503`;
  });
});
