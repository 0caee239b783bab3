import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockFile, lockSession } from "./lock-file.js";

/** Creates the path of a file in a folder that is deleted after the test. */
function createPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "dt-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "store.db");
}

test("a locked file is refused until its lock is released", () => {
  const file = createPath();
  const held = lockFile(file);

  expect(() => lockFile(file)).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
    }),
  );
  held.release();
  lockFile(file).release();
});

test("each session of a file is locked by itself, and its lock file is deleted on release", () => {
  const file = createPath();
  const locks = () => readdirSync(path.dirname(file)).filter((name) => name.endsWith(".lock"));
  const held = lockSession(file, "a/../b");
  const other = lockSession(file, "c");

  expect(() => lockSession(file, "a/../b")).toThrow(
    "the session a/../b is open in another process; close it there first",
  );
  expect(locks()).toEqual([
    expect.stringMatching(/^store\.db\.[0-9a-f]{32}\.lock$/),
    expect.stringMatching(/^store\.db\.[0-9a-f]{32}\.lock$/),
  ]);
  held.release();
  other.release();
  expect(locks()).toEqual([]);
  lockSession(file, "a/../b").release();
});

test("a lock that cannot be created is reported, and a release without a lock file succeeds", () => {
  const file = createPath();
  mkdirSync(`${file}.lock`);

  expect(() => lockFile(file)).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: expect.stringMatching(
        /store\.db\.lock cannot be used: .*; choose another DT_DATA_DIR$/,
      ),
    }),
  );
  const held = lockSession(file, "c");
  rmSync(path.dirname(file), { recursive: true, force: true });
  expect(() => held.release()).not.toThrow();
});
