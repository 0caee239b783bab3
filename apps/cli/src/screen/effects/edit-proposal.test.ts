import { expect, test } from "vitest";
import { editProposal } from "./edit-proposal.js";

const proposal = { fileName: "a.txt", filePath: "/w/a.txt", newContent: "hi" };

test.each([
  ["printf edited >", { type: "edited", newContent: "edited" }],
  ["true", { type: "unchanged" }],
  [": >", { type: "emptied" }],
  ["false", { type: "failed", reason: "false ended with 1" }],
])("what %j makes of a proposal is %j", async (editor, outcome) => {
  expect(await editProposal(proposal, { EDITOR: editor })).toEqual(outcome);
});
