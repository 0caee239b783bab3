import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { findNames } from "./known-names.js";

/** A time far in the future. Every directory's last change is then old, so results are cached. */
const LATER = new Date(Date.parse("2100-01-01"));
const names = ["a", "b"];

test("a name that exists is found, even if it is a directory", async () => {
  await using workspace = await openTempWorkspace();
  await mkdir(path.join(workspace.root, "b"));

  expect(await findNames({ directory: workspace.root, names }, LATER)).toEqual(new Set(["b"]));
});

test("no name is found in a directory that does not exist", async () => {
  await using workspace = await openTempWorkspace();
  const directory = path.join(workspace.root, "missing");

  expect(await findNames({ directory, names }, LATER)).toEqual(new Set());
});

test("findNames returns every wanted name if the path is not a directory", async () => {
  await using workspace = await openTempWorkspace();
  const directory = path.join(workspace.root, "file");
  await writeFile(directory, "");

  expect(await findNames({ directory, names }, LATER)).toEqual(new Set(names));
});

test("findNames notices a file that was added or removed", async () => {
  await using workspace = await openTempWorkspace();
  const { root: directory } = workspace;
  const before = await findNames({ directory, names }, LATER);
  await writeFile(path.join(directory, "a"), "");
  await utimes(directory, 1_000, 1_000);
  const added = await findNames({ directory, names }, LATER);
  await rm(path.join(directory, "a"));
  await utimes(directory, 2_000, 2_000);
  const removed = await findNames({ directory, names }, LATER);

  expect([before, added, removed]).toEqual([new Set(), new Set(["a"]), new Set()]);
});

test("a result for a directory that has just changed is not used again", async () => {
  await using workspace = await openTempWorkspace();
  const { root: directory } = workspace;
  const soon = new Date();
  await findNames({ directory, names }, soon);
  await writeFile(path.join(directory, "a"), "");

  expect(await findNames({ directory, names }, soon)).toEqual(new Set(["a"]));
});
