import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { lockInstanceFile } from "./instance-file.js";

async function openFolder() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-name-"));
  return {
    file: path.join(directory, "data", "instance"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

test("an instance keeps the name in its file, and other processes cannot use the file meanwhile [SRV-23]", async () => {
  await using folder = await openFolder();
  const first = await lockInstanceFile(folder.file);
  await expect(lockInstanceFile(folder.file)).rejects.toThrow(/is in use by another process/);
  first.release();

  const second = await lockInstanceFile(folder.file);
  second.release();

  expect(first.name).toMatch(/^[\da-f-]{36}$/);
  expect(second.name).toBe(first.name);
  expect(await readFile(folder.file, "utf8")).toBe(`${first.name}\n`);
});

test("only the user can read the file and its directory", async () => {
  await using folder = await openFolder();
  (await lockInstanceFile(folder.file)).release();

  const modes = await Promise.all(
    [folder.file, path.dirname(folder.file)].map(async (each) => (await stat(each)).mode & 0o777),
  );

  expect(modes).toEqual([0o600, 0o700]);
});

test("a file without a valid name gets a new one", async () => {
  await using folder = await openFolder();
  (await lockInstanceFile(folder.file)).release();
  await writeFile(folder.file, "not a name");

  const { name, release } = await lockInstanceFile(folder.file);
  release();

  expect(name).toMatch(/^[\da-f-]{36}$/);
  expect(await readFile(folder.file, "utf8")).toBe(`${name}\n`);
});

test("a file that cannot be written leaves no lock behind", async () => {
  await using folder = await openFolder();
  (await lockInstanceFile(folder.file)).release();
  await rm(folder.file);
  // A directory of this name can be neither read nor written as a file.
  await mkdir(folder.file);

  await expect(lockInstanceFile(folder.file)).rejects.toThrow(/EISDIR/);
  await rm(folder.file, { recursive: true });
  const again = await lockInstanceFile(folder.file);

  expect(again.name).toMatch(/^[\da-f-]{36}$/);
  again.release();
});
