import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { tryTool } from "../tools/testing/try-tool.js";
import { openCheckpoints } from "./open-checkpoints.js";
import { createRestoreTool } from "./restore-tool.js";

async function openStage(files: Readonly<Record<string, string | undefined>>) {
  const workspace = await openTempWorkspace();
  const kept = await openTempWorkspace();
  const checkpoints = await openCheckpoints({ directory: path.join(kept.root, "kept") });
  const at = (file: string) => path.join(workspace.root, file);
  const before = Object.entries(files);
  for (const [file, text] of before) {
    await mkdir(path.dirname(at(file)), { recursive: true });
    if (text !== undefined) await writeFile(at(file), text);
  }
  await checkpoints.save({ turn: 3, paths: before.map(([file]) => at(file)) });
  for (const [file] of before) await writeFile(at(file), `edited ${file}\n`);
  const tool = createRestoreTool({ checkpoints: async () => checkpoints, currentTurn: () => 7 });
  return {
    workspace,
    checkpoints,
    at,
    run: (meanwhile?: () => Promise<void>) =>
      tryTool(tool, { turn: 3 }, { workspace, ...(meanwhile && { meanwhile }) }),
    plan: (turn: number) => tool.plan({ turn }, workspace),
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await kept[Symbol.asyncDispose]();
    },
  };
}

test("the question about one text file shows its diff", async () => {
  await using stage = await openStage({ a: "before\n" });

  const { plan } = await stage.run();

  expect(plan).toMatchObject({
    description: "Restore a to before turn 3",
    actions: [
      { type: "edit", path: stage.at("a"), isInside: true },
      { type: "other", name: "restore_checkpoint", target: "turn 3" },
    ],
    details: {
      $case: "fileEditDetails",
      value: { filePath: stage.at("a"), oldContent: "edited a\n", newContent: "before\n" },
    },
  });
  expect(await stage.workspace.read("a")).toBe("before\n");
  expect(stage.checkpoints.list()[0]).toMatchObject({ turn: 7, files: [{ path: stage.at("a") }] });
});

test("if a restore changes one file and deletes another, the question lists both files", async () => {
  await using stage = await openStage({ a: "before", b: undefined });

  const { plan, text } = await stage.run();

  const description = "Restore 2 files to before turn 3:\n  change back a\n  delete b";
  expect(plan.details).toEqual({ $case: "genericDetails", value: { description } });
  expect(text).toBe(description);
  await expect(stage.workspace.read("b")).rejects.toThrow("ENOENT");
});

test("nothing is restored if a file changed after the question showed it", async () => {
  await using one = await openStage({ a: "before" });
  await using two = await openStage({ a: "before", b: undefined });

  await expect(one.run(() => writeFile(one.at("a"), "by hand"))).rejects.toThrow(
    "files changed after the restore was shown",
  );
  await expect(two.run(() => rm(two.at("b")))).rejects.toThrow("files changed after");

  expect(await one.workspace.read("a")).toBe("by hand");
  expect(await two.workspace.read("a")).toBe("edited a\n");
});

test("a restore fails with the reason if no file differs or no checkpoint exists", async () => {
  await using stage = await openStage({ a: "before" });
  await stage.run();

  await expect(stage.run()).rejects.toMatchObject({ type: "nothing_to_restore" });
  await expect(stage.plan(4)).rejects.toThrow(
    "there is no checkpoint of turn 4; turns with a checkpoint: 7, 3",
  );
});

test("a restore through a directory that became a link is refused before the question", async () => {
  await using stage = await openStage({ "folder/a": "before" });
  await using elsewhere = await openTempWorkspace();
  await rm(stage.at("folder"), { recursive: true });
  await symlink(elsewhere.root, stage.at("folder"));

  await expect(stage.plan(3)).rejects.toThrow("now resolves through a symbolic link");
});

test("files outside the workspace are named, but not read before approval [SEC-06]", async () => {
  await using elsewhere = await openTempWorkspace();
  const outside = path.join(elsewhere.root, "a");
  await using stage = await openStage({ [`../${path.basename(elsewhere.root)}/a`]: "before\n" });

  const { plan } = await stage.run(() => writeFile(outside, "not shown"));

  expect(plan).toMatchObject({
    description: `Restore ${outside} to before turn 3`,
    details: {
      $case: "genericDetails",
      value: {
        description: expect.stringContaining(`only after you allow this):\n  ${outside}`),
      },
    },
  });
  expect(await elsewhere.read("a")).toBe("before\n");
});
