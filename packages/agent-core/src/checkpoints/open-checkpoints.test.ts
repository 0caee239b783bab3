import { appendFile, chmod, mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { Checkpoints } from "./checkpoint.js";
import { type CheckpointsOptions, openCheckpoints } from "./open-checkpoints.js";

async function openStage(options: Partial<CheckpointsOptions> = {}) {
  const workspace = await openTempWorkspace();
  const directory = path.join(workspace.root, ".kept");
  const at = (file: string) => path.join(workspace.root, file);
  const reopen = () =>
    openCheckpoints({ directory, now: () => new Date("2026-01-02T03:04:05Z"), ...options });
  return {
    ...workspace,
    directory,
    at,
    reopen,
    copies: () => readdir(path.join(directory, "copies")),
    /** Changes a file as a turn does: saves it, then writes or removes it. */
    async edit(checkpoints: Checkpoints, turn: number, file: string, text: string | undefined) {
      await checkpoints.save({ turn, paths: [at(file)] });
      if (text === undefined) return await rm(at(file));
      await mkdir(path.dirname(at(file)), { recursive: true });
      await writeFile(at(file), text);
    },
  };
}

test("a restore undoes the changes, new files and deletions of a turn and of later turns", async () => {
  await using stage = await openStage();
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await writeFile(stage.at("c"), "c0");
  await stage.edit(checkpoints, 1, "a", "a1");
  await stage.edit(checkpoints, 2, "a", "a2");
  await stage.edit(checkpoints, 2, "a", "a2 again");
  await stage.edit(checkpoints, 2, "deep/b", "b2");
  await stage.edit(checkpoints, 3, "c", undefined);

  const plan = await checkpoints.plan(2);
  const report = await checkpoints.restore(2, { during: 4 });

  expect(
    plan.changes.map(({ path: file, type }) => [type, path.relative(stage.root, file)]),
  ).toEqual([
    ["write", "a"],
    ["create", "c"],
    ["delete", "deep/b"],
  ]);
  expect(report).toEqual({ ...plan, failed: [] });
  expect(await stage.read("a")).toBe("a1");
  expect(await stage.read("c")).toBe("c0");
  await expect(stage.read("deep/b")).rejects.toThrow("ENOENT");
});

test("a restore can be undone by another restore", async () => {
  await using stage = await openStage();
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await stage.edit(checkpoints, 1, "a", "a1");
  await stage.edit(checkpoints, 1, "b", "b1");
  // The person changes the file by hand.
  await writeFile(stage.at("a"), "by hand");

  await checkpoints.restore(1, { during: 2 });
  const restored = await stage.read("a");
  await checkpoints.restore(2, { during: 3 });

  expect(restored).toBe("a0");
  expect(await stage.read("a")).toBe("by hand");
  expect(await stage.read("b")).toBe("b1");
});

test("checkpoints survive a restart, even if the manifest ends in the middle of a line", async () => {
  await using stage = await openStage();
  const before = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await stage.edit(before, 1, "a", "a1");
  await appendFile(path.join(stage.directory, "manifest.jsonl"), '{"turn":2,"at":"20');

  const checkpoints = await stage.reopen();
  await stage.edit(checkpoints, 3, "new", "x");
  const again = await stage.reopen();

  const at = "2026-01-02T03:04:05.000Z";
  expect(again.list()).toEqual([
    { turn: 3, at, files: [{ path: stage.at("new"), was: { type: "absent" } }] },
    {
      turn: 1,
      at,
      files: [
        {
          path: stage.at("a"),
          was: { type: "file", copy: expect.any(String), mode: expect.any(Number) },
        },
      ],
    },
  ]);
  await again.restore(1, { during: 4 });
  expect(await stage.read("a")).toBe("a0");
});

test("a restore sets the permissions of the file again, and only the user can read copies", async () => {
  await using stage = await openStage();
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("run.sh"), "secret");
  await chmod(stage.at("run.sh"), 0o750);
  await stage.edit(checkpoints, 1, "run.sh", undefined);

  await checkpoints.restore(1, { during: 2 });
  await chmod(stage.at("run.sh"), 0o600);
  const { changes } = await checkpoints.plan(1);
  await checkpoints.restore(1, { during: 3 });

  const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
  expect(changes).toMatchObject([{ type: "write" }]);
  expect(await modeOf(stage.at("run.sh"))).toBe(0o750);
  const [copy] = await stage.copies();
  expect(await modeOf(path.join(stage.directory, "copies", copy!))).toBe(0o600);
  expect(await modeOf(path.join(stage.directory, "manifest.jsonl"))).toBe(0o600);
  expect(await modeOf(stage.directory)).toBe(0o700);
});

test("large files, and paths that are not files, are skipped with a reason", async () => {
  await using stage = await openStage({ maxFileBytes: 10 });
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("large"), "x".repeat(11));
  await mkdir(stage.at("folder"));
  await checkpoints.save({ turn: 1, paths: [stage.at("large"), stage.at("folder")] });
  await writeFile(stage.at("large"), "y");

  const { changes, skipped } = await checkpoints.plan(1);

  expect(changes).toEqual([]);
  expect(skipped.map(({ reason }) => reason.replaceAll(`${stage.root}/`, ""))).toEqual([
    expect.stringContaining("folder is a directory"),
    "large has 11 bytes; copies are limited to 10",
  ]);
});

test("a file that has become too large to save is not overwritten", async () => {
  await using stage = await openStage({ maxFileBytes: 10 });
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await stage.edit(checkpoints, 1, "a", "x".repeat(11));

  const report = await checkpoints.restore(1, { during: 2 });

  expect(report.skipped).toMatchObject([{ path: stage.at("a") }]);
  expect(await stage.read("a")).toBe("x".repeat(11));
});

test("nothing is restored if the current content of a file cannot be saved", async () => {
  await using stage = await openStage({ maxFileBytes: 10 });
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await stage.edit(checkpoints, 1, "a", "x".repeat(11));
  await stage.edit(checkpoints, 2, "a", "a2");

  const restoring = checkpoints.restore(1, { during: 2 });

  await expect(restoring).rejects.toMatchObject({ type: "not_undoable" });
  expect(await stage.read("a")).toBe("a2");
});

test("a restore does not follow a link that replaced a directory", async () => {
  await using stage = await openStage();
  await using elsewhere = await openTempWorkspace();
  const checkpoints = await stage.reopen();
  await stage.edit(checkpoints, 1, "folder/a", "a1");
  await writeFile(path.join(elsewhere.root, "a"), "precious");
  await rm(stage.at("folder"), { recursive: true });
  await symlink(elsewhere.root, stage.at("folder"));

  const { changes, skipped } = await checkpoints.restore(1, { during: 2 });

  expect(changes).toEqual([]);
  expect(skipped).toHaveLength(1);
  expect(await elsewhere.read("a")).toBe("precious");
});

test("a file that cannot be restored does not stop the restore of other files", async () => {
  await using stage = await openStage();
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await mkdir(stage.at("folder"));
  await writeFile(stage.at("folder/b"), "b0");
  await stage.edit(checkpoints, 1, "folder/b", undefined);
  await stage.edit(checkpoints, 1, "a", "a1");
  await rm(stage.at("folder"), { recursive: true });
  await writeFile(stage.at("folder"), "a file now");

  const { failed } = await checkpoints.restore(1, { during: 2 });

  expect(failed).toMatchObject([{ path: stage.at("folder/b") }]);
  expect(await stage.read("a")).toBe("a0");
});

test("equal content is stored once, and unused copies are removed", async () => {
  await using stage = await openStage({ maxTurns: 2 });
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "same");
  await writeFile(stage.at("b"), "same");
  await stage.edit(checkpoints, 1, "a", "a1");
  await stage.edit(checkpoints, 1, "b", "b1");
  expect(await stage.copies()).toHaveLength(1);

  await stage.edit(checkpoints, 2, "a", "a2");
  await stage.edit(checkpoints, 3, "a", "a3");

  expect(checkpoints.list().map(({ turn }) => turn)).toEqual([3, 2]);
  expect(await stage.copies()).toHaveLength(2);
  expect((await stage.reopen()).list()).toEqual(checkpoints.list());
  await expect(checkpoints.plan(1)).rejects.toThrow(
    "there is no checkpoint of turn 1; turns with a checkpoint: 3, 2",
  );
});

test("a damaged copy is not restored", async () => {
  await using stage = await openStage();
  const checkpoints = await stage.reopen();
  await writeFile(stage.at("a"), "a0");
  await stage.edit(checkpoints, 1, "a", "a1");
  const [copy] = await stage.copies();
  await writeFile(path.join(stage.directory, "copies", copy!), "damaged");

  const { skipped } = await checkpoints.restore(1, { during: 2 });

  expect(skipped).toEqual([
    { path: stage.at("a"), reason: `the copy of ${stage.at("a")} is missing or damaged` },
  ]);
  expect(await stage.read("a")).toBe("a1");
});

test("simultaneous saves are all stored", async () => {
  await using stage = await openStage();
  const checkpoints = await stage.reopen();
  const files = Array.from({ length: 20 }, (_, index) => stage.at(`f${index}`));
  await Promise.all(files.map((file) => writeFile(file, file)));

  await Promise.all(files.map((file) => checkpoints.save({ turn: 1, paths: [file, file] })));

  expect((await stage.reopen()).list()[0]?.files).toHaveLength(20);
});
