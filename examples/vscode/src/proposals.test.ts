import { expect, test } from "vitest";
import { createProposals, type EditMemory, toolCallIdOf } from "./proposals.js";

const DIFF = {
  fileName: "src/a b.ts",
  filePath: "/w/src/a b.ts",
  oldContent: "old",
  newContent: "new",
};

function createMemory(): EditMemory {
  let saved: Readonly<Record<string, string>> = {};
  return {
    load: () => saved,
    save: (edits) => {
      saved = edits;
    },
  };
}

test("the paths of a proposal end with the file name and contain the tool call id", () => {
  const proposals = createProposals(createMemory());

  const { before, after } = proposals.open("call/1", DIFF);

  expect([before, after].map((path) => path.split("/").at(-1))).toEqual(["a b.ts", "a b.ts"]);
  expect([before, after].map(toolCallIdOf)).toEqual(["call/1", "call/1"]);
  expect([proposals.read(before), proposals.read(after)]).toEqual(["old", "new"]);
});

test("the proposal of a new file has an empty left side", () => {
  const proposals = createProposals(createMemory());
  const { oldContent: _, ...created } = DIFF;

  expect(proposals.read(proposals.open("1", created).before)).toBe("");
});

test("edits stay when a diff is reopened and are dropped when its question closes", () => {
  const proposals = createProposals(createMemory());
  const { after } = proposals.open("1", DIFF);

  proposals.write(after, "edited");
  proposals.open("1", DIFF);
  expect(proposals.read(after)).toBe("edited");
  proposals.close("1");

  expect(proposals.read(after)).toBeUndefined();
});

test("saved edits survive a reload until their question is answered", () => {
  const memory = createMemory();
  const first = createProposals(memory);
  first.write(first.open("1", DIFF).after, "edited");

  const second = createProposals(memory);
  expect(second.edited("1")).toBe("edited");
  expect(second.read(second.open("1", DIFF).after)).toBe("edited");
  second.close("1");

  expect(memory.load()).toEqual({});
  expect(second.edited("1")).toBeUndefined();
});

test("at most twenty edits are stored", () => {
  const memory = createMemory();
  const proposals = createProposals(memory);

  for (let n = 0; n < 30; n += 1) proposals.write(proposals.open(`${n}`, DIFF).after, "edited");

  expect(Object.keys(memory.load())).toHaveLength(20);
});
