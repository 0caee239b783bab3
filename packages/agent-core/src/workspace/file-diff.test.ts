import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildCoarsePatch } from "./coarse-patch.js";
import { buildFileDiff } from "./file-diff.js";

const file = { absolute: "/w/src/a.txt", display: "src/a.txt" };

test("a change carries name, path, both contents and a unified diff [RFC-15]", () => {
  expect(buildFileDiff(file, "one\ntwo\nthree\n", "one\n2\nthree\n")).toEqual({
    fileName: "a.txt",
    filePath: "/w/src/a.txt",
    oldContent: "one\ntwo\nthree\n",
    newContent: "one\n2\nthree\n",
    formattedDiff: "--- src/a.txt\n+++ src/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
  });
});

test("a new file has no old content and comes from nowhere [RFC-15]", () => {
  const diff = buildFileDiff(file, undefined, "one\n");

  expect(diff).not.toHaveProperty("oldContent");
  expect(diff.formattedDiff).toBe("--- /dev/null\n+++ src/a.txt\n@@ -0,0 +1,1 @@\n+one\n");
});

test("a change of everything in a long file can be applied", () => {
  const before = Array.from({ length: 30_000 }, (_, at) => `old ${at}\n`).join("");
  const after = Array.from({ length: 30_000 }, (_, at) => `new ${at}\n`).join("");

  const { formattedDiff = "" } = buildFileDiff(file, before, after);

  expect(applyPatch(before, formattedDiff)).toBe(after);
});

test("a coarse patch turns the one text into the other", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const patch = buildCoarsePatch({ oldName: "a", newName: "a", before, after });
      expect(applyPatch(before, patch)).toBe(after);
    }),
  );
});
