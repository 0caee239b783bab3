import { execFile } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  open,
  readdir,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openTempWorkspace, type TempWorkspace } from "../testing/temp-workspace.js";
import { openRegularFile } from "./open-regular-file.js";
import { replaceFile } from "./replace-file.js";
import { findText } from "./text-file.js";

const bytes = Buffer.from("changed\n");
const at = (workspace: TempWorkspace, file: string) => path.join(workspace.root, file);

test("replaceFile replaces a file, keeps its mode and leaves no temporary file", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(at(workspace, "run.sh"), "before\n");
  await chmod(at(workspace, "run.sh"), 0o4775);
  const file = await workspace.resolve("run.sh");
  const before = await findText(file);

  await replaceFile(file, { bytes, expectedVersion: before?.version });

  expect(await workspace.read("run.sh")).toBe("changed\n");
  expect((await stat(file.absolute)).mode & 0o7777).toBe(0o4775);
  expect(await readdir(workspace.root)).toEqual(["run.sh"]);
});

test("replaceFile creates the directories of a new file", async () => {
  await using workspace = await openTempWorkspace();

  await replaceFile(await workspace.resolve("a/b/c.txt"), { bytes, expectedVersion: undefined });

  expect(await workspace.read("a/b/c.txt")).toBe("changed\n");
});

test("a full disk leaves the file unchanged, and the error says that the disk is full", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(at(workspace, "a.txt"), "before\n");
  const file = await workspace.resolve("a.txt");
  const before = await findText(file);

  const writing = replaceFile(file, {
    bytes,
    expectedVersion: before?.version,
    // The kernel refuses every write to /dev/full with "no space left on device".
    openTemporary: () => open("/dev/full", "r+"),
  });

  await expect(writing).rejects.toMatchObject({
    type: "disk_full",
    message: "a.txt could not be written because the disk is full; free some space and try again",
  });
  expect(await workspace.read("a.txt")).toBe("before\n");
  expect(await readdir(workspace.root)).toEqual(["a.txt"]);
});

test("replaceFile does not replace a file that someone else has written since it was read", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(at(workspace, "a.txt"), "before\n");
  const file = await workspace.resolve("a.txt");
  const before = await findText(file);
  await writeFile(file.absolute, "by another\n");

  const writing = replaceFile(file, { bytes, expectedVersion: before?.version });

  await expect(writing).rejects.toMatchObject({ type: "file_changed" });
  expect(await workspace.read("a.txt")).toBe("by another\n");
});

test("replaceFile does not follow a link that replaced the file after the check", async () => {
  await using workspace = await openTempWorkspace();
  await using elsewhere = await openTempWorkspace();
  await writeFile(at(elsewhere, "target"), "before\n");
  const file = await workspace.resolve("a.txt");
  await symlink(at(elsewhere, "target"), file.absolute);

  const writing = replaceFile(file, { bytes, expectedVersion: undefined });

  await expect(writing).rejects.toMatchObject({ type: "file_changed" });
  expect(await elsewhere.read("target")).toBe("before\n");
});

test("replaceFile does not follow a link that replaced the directory after the check", async () => {
  await using workspace = await openTempWorkspace();
  await using elsewhere = await openTempWorkspace();
  await mkdir(at(workspace, "sub"));
  const file = await workspace.resolve("sub/a.txt");
  await rename(at(workspace, "sub"), at(workspace, "moved"));
  await symlink(elsewhere.root, at(workspace, "sub"));

  const writing = replaceFile(file, { bytes, expectedVersion: undefined });

  await expect(writing).rejects.toMatchObject({
    type: expect.stringMatching(/link|directory|changed/),
  });
  expect(await readdir(elsewhere.root)).toEqual([]);
});

test.each([
  ["a missing directory", [] as readonly string[]],
  ["the parent of a missing directory", ["sub"]],
])("replaceFile creates nothing behind a link that replaced %s", async (_name, made) => {
  await using workspace = await openTempWorkspace();
  await using elsewhere = await openTempWorkspace();
  for (const directory of made) await mkdir(at(workspace, directory));
  const file = await workspace.resolve("sub/deep/er/a.txt");
  for (const directory of made) await rename(at(workspace, directory), at(workspace, "moved"));
  await symlink(elsewhere.root, at(workspace, "sub"));

  const writing = replaceFile(file, { bytes, expectedVersion: undefined });

  await expect(writing).rejects.toMatchObject({
    type: expect.stringMatching(/link|directory|changed/),
  });
  expect(await readdir(elsewhere.root)).toEqual([]);
});

test("replaceFile creates no directory if a directory above its parent became a link", async () => {
  await using workspace = await openTempWorkspace();
  await using elsewhere = await openTempWorkspace();
  await mkdir(at(elsewhere, "deep"));
  const file = await workspace.resolve("sub/deep/er/a.txt");
  await symlink(elsewhere.root, at(workspace, "sub"));

  const writing = replaceFile(file, { bytes, expectedVersion: undefined });

  await expect(writing).rejects.toMatchObject({ type: "file_changed" });
  expect(await readdir(at(elsewhere, "deep"))).toEqual([]);
});

test("replaceFile does not follow a directory that becomes a link during the write", async () => {
  await using workspace = await openTempWorkspace();
  await using elsewhere = await openTempWorkspace();
  await mkdir(at(workspace, "sub"));
  const file = await workspace.resolve("sub/a.txt");

  await replaceFile(file, {
    bytes,
    expectedVersion: undefined,
    async openTemporary(name) {
      const handle = await open(name, "wx");
      await rename(at(workspace, "sub"), at(workspace, "moved"));
      await symlink(elsewhere.root, at(workspace, "sub"));
      return handle;
    },
  });

  expect(await readdir(elsewhere.root)).toEqual([]);
  expect(await workspace.read("moved/a.txt")).toBe("changed\n");
});

test("another hard link to a replaced file keeps the old content", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(at(workspace, "a.txt"), "before\n");
  await link(at(workspace, "a.txt"), at(workspace, "b.txt"));
  const file = await workspace.resolve("a.txt");
  const before = await findText(file);

  await replaceFile(file, { bytes, expectedVersion: before?.version });

  expect(await workspace.read("b.txt")).toBe("before\n");
});

test("openRegularFile refuses a pipe without waiting for a writer", async () => {
  await using workspace = await openTempWorkspace();
  await promisify(execFile)("mkfifo", [at(workspace, "pipe")]);

  const opening = openRegularFile(await workspace.resolve("pipe"));

  await expect(opening).rejects.toMatchObject({ type: "not_a_file" });
});

test("openRegularFile refuses a file whose directory became a link after the check", async () => {
  await using workspace = await openTempWorkspace();
  await using elsewhere = await openTempWorkspace();
  await writeFile(at(elsewhere, "secret"), "secret");
  const file = await workspace.resolve("sub/secret");
  await symlink(elsewhere.root, at(workspace, "sub"));

  await expect(openRegularFile(file)).rejects.toMatchObject({ type: "file_changed" });
});

test.each([
  ["binary", Buffer.from([1, 0, 2]), "not_text"],
  ["Latin-1", Buffer.from("caf\xe9", "latin1"), "not_text"],
  ["huge", Buffer.alloc(2_000_001, "a"), "too_large"],
])("a %s file cannot be edited as text", async (_name, content, type) => {
  await using workspace = await openTempWorkspace();
  await writeFile(at(workspace, "a"), content);

  await expect(findText(await workspace.resolve("a"))).rejects.toMatchObject({ type });
});

test("a link to a missing target resolves to that target", async () => {
  await using workspace = await openTempWorkspace();
  await symlink("/no/such/place", at(workspace, "nowhere"));

  expect(await workspace.resolve("nowhere/a.txt")).toEqual({
    absolute: "/no/such/place/a.txt",
    display: "/no/such/place/a.txt",
    isInside: false,
  });
});

test("a loop of links is an error only when the file is opened", async () => {
  await using workspace = await openTempWorkspace();
  await symlink("two", at(workspace, "one"));
  await symlink("one", at(workspace, "two"));

  const file = await workspace.resolve("one/a.txt");

  expect(file.isInside).toBe(true);
  await expect(findText(file)).rejects.toMatchObject({ type: "link_loop" });
});
