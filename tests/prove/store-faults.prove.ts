import { test } from "vitest";
import { proveFullDisks, proveReadErrors } from "../e2e/support/prove-store-faults.js";
import { recordProof } from "./record-proof.js";

const READ_ERRORS = 10;
const FULL_DISKS = 20;

test(`a store that cannot read its file stops writing and loses no event in ${READ_ERRORS} runs [LOG-07]`, async () => {
  await recordProof("reads of the data file fail for a while", READ_ERRORS, async () => {
    const { failed, kept } = await proveReadErrors(READ_ERRORS);
    return `held: ${failed} calls failed, ${kept} acknowledged events were there afterwards`;
  });
});

test(`${FULL_DISKS} stores on full disks lose no event and stay readable [LOG-07]`, async () => {
  await recordProof("a full disk (tmpfs)", FULL_DISKS, async () => {
    const { kept } = await proveFullDisks(FULL_DISKS);
    return `held: every session could be read, ${kept} acknowledged events were there afterwards`;
  });
});
