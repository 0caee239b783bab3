import { expect, test } from "vitest";
import { first, next } from "../../../testing/store-checks.js";
import type { Commit } from "../../commit.js";
import { judgeAppend, type StoredHead } from "./judge-append.js";

const HEAD = { position: 3, commitNumber: 2 };
const fence = { epoch: 4, number: 3, expectedHead: 3 };
const append: Commit = { ...next([]), ...fence, events: [] };
const creation: Commit = { ...first([]), ...fence, number: 1, expectedHead: 0, events: [] };

function judge(commit: Commit, stored: Partial<StoredHead> | undefined) {
  const head = commit === creation ? { position: 0, commitNumber: 0 } : HEAD;
  const held: StoredHead = { epoch: 4, holder: "me", ...HEAD };
  const found = stored && { ...held, ...stored };
  return judgeAppend({ contextId: "context", commits: [commit], head }, found, "me");
}

test.each([
  ["is at the head before", append, {}, "absent"],
  ["has the commit", append, { commitNumber: 3 }, "stored"],
  ["has a higher epoch", append, { epoch: 5 }, "lost"],
  ["is held by another instance", append, { holder: "other", commitNumber: 3 }, "lost"],
  ["was deleted", append, undefined, "lost"],
  ["has lost its last events", append, { position: 1, commitNumber: 1 }, "unknown"],
  ["is not stored yet", creation, undefined, "absent"],
  ["was created by this append", creation, { commitNumber: 1 }, "stored"],
  ["was created by another instance", creation, { holder: "other" }, "lost"],
] as const)("judgeAppend() finds the outcome if the session %s", (_, commit, stored, outcome) => {
  expect(judge(commit, stored)).toBe(outcome);
});
