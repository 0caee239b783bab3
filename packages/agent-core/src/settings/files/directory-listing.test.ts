import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { listDirectories } from "./directory-listing.js";

test("in a listed directory, mayExist is true only for existing entries, ignoring case", async () => {
  await using workspace = await openTempWorkspace();
  const [full, missing] = [path.join(workspace.root, "full"), path.join(workspace.root, "missing")];
  await mkdir(full);
  await writeFile(path.join(full, "Config.yaml"), "");

  const mayExist = await listDirectories([full, missing]);

  expect(mayExist(path.join(full, "config.yaml"))).toBe(true);
  expect(mayExist(path.join(full, "AGENTS.md"))).toBe(false);
  expect(mayExist(path.join(missing, "config.yaml"))).toBe(false);
  expect(mayExist(path.join(workspace.root, "elsewhere.txt"))).toBe(true);
});

test("mayExist is true for every file of a directory that cannot be listed", async () => {
  await using workspace = await openTempWorkspace();
  const file = path.join(workspace.root, "file");
  await writeFile(file, "");

  const mayExist = await listDirectories([file]);

  expect(mayExist(path.join(file, "config.yaml"))).toBe(true);
});
