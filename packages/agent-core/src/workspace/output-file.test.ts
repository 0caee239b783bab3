import { open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { openOutputFile } from "./output-file.js";

test("small output creates no file", async () => {
  await using workspace = await openTempWorkspace();
  const file = openOutputFile({ path: path.join(workspace.root, "o/out.log"), memoryBytes: 10 });

  await file.write(Buffer.from("little"));
  await file.close({ isWanted: false });

  expect(await readdir(workspace.root)).toEqual([]);
});

test("large output is stored completely in a file that only its owner can read", async () => {
  await using workspace = await openTempWorkspace();
  const file = openOutputFile({ path: path.join(workspace.root, "o/out.log"), memoryBytes: 10 });

  for (const piece of ["12345678", "9abcdef", "end"]) await file.write(Buffer.from(piece));
  await file.close({ isWanted: true });

  expect(await workspace.read("o/out.log")).toBe("123456789abcdefend");
  expect((await stat(file.path)).mode & 0o777).toBe(0o600);
});

test("an output file that is not wanted is removed", async () => {
  await using workspace = await openTempWorkspace();
  const file = openOutputFile({ path: path.join(workspace.root, "out.log"), memoryBytes: 1 });

  await file.write(Buffer.from("progress"));
  await file.close({ isWanted: false });

  expect(await readdir(workspace.root)).toEqual([]);
});

test("a full disk is reported as the failure, and later writes do not throw", async () => {
  await using workspace = await openTempWorkspace();
  const file = openOutputFile({
    path: path.join(workspace.root, "out.log"),
    memoryBytes: 1,
    openFile: () => open("/dev/full", "w"),
  });

  await file.write(Buffer.from("much"));
  await file.write(Buffer.from("more"));
  await file.close({ isWanted: true });

  expect(file.failure).toMatchObject({ type: "disk_full" });
  expect(file.totalBytes).toBe(8);
});
