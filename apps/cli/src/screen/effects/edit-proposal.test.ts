import { expect, test } from "vitest";
import { editProposal } from "./edit-proposal.js";

const PROPOSAL = { fileName: "a.txt", filePath: "/w/a.txt", newContent: "hi" };

test.each([
  ["printf edited >", { type: "edited", newContent: "edited" }],
  ["true", { type: "unchanged" }],
  [": >", { type: "emptied" }],
  ["false", { type: "failed", reason: "false ended with 1" }],
])("the editor %j turns a PROPOSAL into the outcome %j", async (editor, outcome) => {
  expect(await editProposal(PROPOSAL, { EDITOR: editor })).toEqual(outcome);
});
