import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildCoarsePatch } from "./coarse-patch.js";
import { buildFileDiff } from "./file-diff.js";

const file = { absolute: "/w/src/a.txt", display: "src/a.txt" };

test("a file diff has the name, the path, both contents and a unified diff [RFC-15]", () => {
  expect(buildFileDiff(file, "one\ntwo\nthree\n", "one\n2\nthree\n")).toEqual({
    fileName: "a.txt",
    filePath: "/w/src/a.txt",
    oldContent: "one\ntwo\nthree\n",
    newContent: "one\n2\nthree\n",
    formattedDiff: "--- src/a.txt\n+++ src/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
  });
});

test("the diff of a new file has no old content and starts from /dev/null [RFC-15]", () => {
  const diff = buildFileDiff(file, undefined, "one\n");

  expect(diff).not.toHaveProperty("oldContent");
  expect(diff.formattedDiff).toBe("--- /dev/null\n+++ src/a.txt\n@@ -0,0 +1,1 @@\n+one\n");
});

test("a diff that replaces every line of a long file can be applied", () => {
  const before = Array.from({ length: 30_000 }, (_, at) => `old ${at}\n`).join("");
  const after = Array.from({ length: 30_000 }, (_, at) => `new ${at}\n`).join("");

  const { formattedDiff = "" } = buildFileDiff(file, before, after);

  expect(applyPatch(before, formattedDiff)).toBe(after);
});

const shortLines = (count: number, start: number) =>
  Array.from({ length: count }, (_, at) => `${(start + at * at) % 7}\n`).join("");

test.each([
  ["a million short lines that all differ", shortLines(1e6, 0), shortLines(1e6, 3)],
  ["a change in every fifth line", shortLines(1e6, 0), shortLines(1e6, 0).replaceAll("4", "5")],
  ["empty lines of which half are removed", "\n".repeat(2e6), "\n".repeat(1e6)],
  [
    "long lines with a common prefix",
    `${"a".repeat(2000)}\n`.repeat(900),
    `${"a".repeat(2000)}b\n`.repeat(900),
  ],
])("buildFileDiff produces a valid patch for %s [SEC-09]", (_name, before, after) => {
  const { formattedDiff = "" } = buildFileDiff(file, before, after);

  // The library takes too long to apply these patches, so the test compares their only hunk.
  const [, hunk = ""] = formattedDiff.split(/^@@ .* @@\n/m);
  const side = (sign: string) =>
    hunk
      .split("\n")
      .filter((line) => line.startsWith(" ") || line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  expect(before).toContain(side("-"));
  expect(after).toContain(side("+"));
});

test("a coarse patch turns one text into the other", () => {
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
