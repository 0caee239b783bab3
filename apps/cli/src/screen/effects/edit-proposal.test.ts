import { expect, test } from "vitest";
import { editProposal } from "./edit-proposal.js";

const PROPOSAL = { fileName: "a.txt", filePath: "/w/a.txt", newContent: "hi" };

test.each([
  ["printf edited >", "edited", { newContent: "edited" }],
  ["true", "unchanged", {}],
  [": >", "emptied", {}],
  ["false", "failed", { reason: "the editor false ended with exit code 1" }],
])("the editor %j leads to the outcome %s", async (editor, type, more) => {
  expect(await editProposal(PROPOSAL, { EDITOR: editor })).toEqual({ type, ...more });
});
