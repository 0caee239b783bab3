import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { createGlob } from "../builtin/search/glob.js";
import { listDirectory } from "../builtin/search/list-directory.js";
import { createSearchFileContent } from "../builtin/search/search-file-content.js";
import { tryTool } from "../testing/try-tool.js";
import { MAX_GLOB_LENGTH } from "./parse-glob.js";

const glob = createGlob();
const search = createSearchFileContent();
const long = "a".repeat(250);

/** A workspace whose file names would make a backtracking matcher run forever. */
async function openStage() {
  const workspace = await openTempWorkspace();
  for (let at = 0; at < 20; at += 1)
    await writeFile(path.join(workspace.root, `${long}${at}`), "x");
  return workspace;
}

const hostile = [
  "(a+)+b",
  `${"*a".repeat(100)}*b`,
  `${"+(a|aa)".repeat(30)}b`,
  `${"{a,*}".repeat(40)}b`,
];

test.each(hostile)(
  "the tool glob with the pattern %s finds nothing in bounded time [SEC-09]",
  async (pattern) => {
    await using workspace = await openStage();

    expect((await tryTool(glob, { pattern }, { workspace })).text).toContain("no file matches");
  },
);

test.each(hostile)(
  "search_file_content with the parameter include=%s finds nothing in bounded time [SEC-09]",
  async (include) => {
    await using workspace = await openStage();

    for (const globs of [include, `./${include}`]) {
      const { text } = await tryTool(search, { pattern: "x", include: globs }, { workspace });
      expect(text).toContain("nothing found");
    }
  },
);

test("list_directory with hostile globs as its ignore parameter lists all files [SEC-09]", async () => {
  await using workspace = await openStage();

  const { text } = await tryTool(listDirectory, { ignore: hostile }, { workspace });

  expect(text.split("\n")).toHaveLength(20);
});

test("list_directory refuses globs that need too many comparisons [SEC-09]", async () => {
  await using workspace = await openTempWorkspace();
  const names = Array.from({ length: 40 }, (_, at) => `${"a".repeat(240)}${at}`);
  await Promise.all(names.map((name) => writeFile(path.join(workspace.root, name), "")));
  const ignore = Array.from({ length: 32 }, (_, at) => `${"*a".repeat(120)}*b${at}*`);

  const listing = tryTool(listDirectory, { ignore }, { workspace });

  await expect(listing).rejects.toMatchObject({
    type: "too_costly",
    message: expect.stringContaining("use fewer or simpler globs"),
  });
});

const longGlob = "a".repeat(MAX_GLOB_LENGTH + 1);

test.each([
  ["glob refuses a long glob", glob, { pattern: longGlob }],
  ["search_file_content refuses a long glob", search, { pattern: "x", include: longGlob }],
  ["list_directory refuses a long glob", listDirectory, { ignore: [longGlob] }],
  ["list_directory refuses a hundred globs", listDirectory, { ignore: Array(100).fill("a") }],
])("%s [SEC-09]", async (_name, tool, input) => {
  await using workspace = await openStage();

  await expect(tryTool(tool, input, { workspace })).rejects.toMatchObject({
    type: "invalid_input",
  });
});
