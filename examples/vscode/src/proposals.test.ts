import { expect, test } from "vitest";
import { createProposals, toolCallIdOf } from "./proposals.js";

const diff = {
  fileName: "src/a b.ts",
  filePath: "/w/src/a b.ts",
  oldContent: "old",
  newContent: "new",
};

test("a proposal has two sides that end in the file's name and know their call", () => {
  const proposals = createProposals();

  const { before, after } = proposals.open("call/1", diff);

  expect([before, after].map((path) => path.split("/").at(-1))).toEqual(["a b.ts", "a b.ts"]);
  expect([before, after].map(toolCallIdOf)).toEqual(["call/1", "call/1"]);
  expect([proposals.read(before), proposals.read(after)]).toEqual(["old", "new"]);
});

test("a file that does not exist yet has an empty left side", () => {
  const proposals = createProposals();
  const { oldContent: _, ...created } = diff;

  expect(proposals.read(proposals.open("1", created).before)).toBe("");
});

test("what was edited stays when the diff is opened again, and goes when the question does", () => {
  const proposals = createProposals();
  const { after } = proposals.open("1", diff);

  proposals.write(after, "edited");
  proposals.open("1", diff);
  expect(proposals.read(after)).toBe("edited");
  proposals.close("1");

  expect(proposals.read(after)).toBeUndefined();
});
