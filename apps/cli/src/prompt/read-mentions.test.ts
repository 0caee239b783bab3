import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { findMentions, readMentions } from "./read-mentions.js";

async function read(text: string, directory: string): Promise<Record<string, string>> {
  const parts = await readMentions(text, directory);
  return Object.fromEntries(
    parts.map((part) =>
      part.type === "file"
        ? [part.name, Buffer.from(part.bytes ?? "", "base64").toString("utf8")]
        : [part.type, ""],
    ),
  );
}

test.each([
  ["read @a.txt", ["a.txt"]],
  ["@a\\ file\\ with\\ space.txt and (@b.txt)", ["a file with space.txt", "b.txt)"]],
  ["mail me@home.org", []],
  ["a lone @ sign", []],
])("the text %j mentions the paths %j", (text, names) => {
  expect(findMentions(text)).toEqual(names);
});

test("a mentioned file is attached with its text, and a directory with its file list", async () => {
  await using workspace = await openTempWorkspace();
  const { root } = workspace;
  await mkdir(path.join(root, "src"));
  await writeFile(path.join(root, "a file.txt"), "one\n");
  await writeFile(path.join(root, "src/b.ts"), "two\n");
  await writeFile(path.join(root, "src/c.log"), "three\n");
  await writeFile(path.join(root, ".gitignore"), "*.log\n");

  expect(await read("see @a\\ file.txt, @src and @a\\ file.txt.", root)).toEqual({
    "a file.txt": "one\n",
    src: "b.ts",
  });
});

test("files that are binary, missing or outside the directory are not attached", async () => {
  await using workspace = await openTempWorkspace();
  const { root } = workspace;
  await writeFile(path.join(root, "binary"), Buffer.from([1, 0, 2]));
  await symlink("/etc/hosts", path.join(root, "link"));

  expect(await read("@/etc/hosts @../x @link @binary @none @", root)).toEqual({});
});

test("a long file is cut, with a note at the end", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "long"), "x".repeat(100_000));

  const { long } = await read("@long", workspace.root);
  expect(long).toMatch(/x\n\[the first 64000 of 100000 bytes\]$/);
});
