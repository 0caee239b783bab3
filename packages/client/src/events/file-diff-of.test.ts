import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { fileDiffOf } from "./file-diff-of.js";

const diff = { fileName: "a.txt", filePath: "/w/a.txt", oldContent: "a", newContent: "b" };

test("fileDiffOf returns the proposed change of a question about an edit [RFC-15]", () => {
  const details = { $case: "fileEditDetails", value: diff } as const;

  expect(fileDiffOf(buildQuestion({ confirmationRequest: { options: [], details } }))).toBe(diff);
});

test("fileDiffOf returns the change that a finished edit has made [RFC-15]", () => {
  const output = { result: { $case: "diff", value: diff } } as const;
  const result = { $case: "output", value: output } as const;

  expect(fileDiffOf(buildToolCall({ status: "SUCCEEDED", result }))).toBe(diff);
});

test.each([
  ["no result", undefined],
  ["an error", { $case: "error", value: { message: "no" } } as const],
  [
    "text as its result",
    { $case: "output", value: { result: { $case: "text", value: "done" } } } as const,
  ],
])("fileDiffOf returns undefined for a call with %s", (_, result) => {
  const details = { $case: "executeDetails", value: { command: "ls" } } as const;
  const asks = buildQuestion({ confirmationRequest: { options: [], details } });

  expect(fileDiffOf(buildToolCall({ status: "SUCCEEDED", result }))).toBeUndefined();
  expect(fileDiffOf(asks)).toBeUndefined();
});
