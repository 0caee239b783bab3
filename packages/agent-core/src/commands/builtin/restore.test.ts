import { expect, test } from "vitest";
import type { Checkpoints } from "../../checkpoints/checkpoint.js";
import { openCheckpoints } from "../../checkpoints/open-checkpoints.js";
import { createRestoreTool } from "../../checkpoints/restore-tool.js";
import { callTool, scriptedModel } from "../../testing/scripted-model.js";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { openCommandStage } from "../open-command-stage.test-support.js";
import { createRestoreCommand } from "./restore.js";

/** A session in which turn 1 has edited one file and created another. */
async function openStage() {
  const kept = await openTempWorkspace();
  const checkpoints: Checkpoints = await openCheckpoints({
    directory: kept.root,
    now: () => new Date("2026-01-02T03:04:05Z"),
  });
  const stage = await openCommandStage({
    files: { a: "before" },
    checkpoints,
    // In this mode edits do not ask, but a restore does.
    mode: "auto-edit",
    model: scriptedModel([
      [
        callTool("write_file", { file_path: "a", content: "after" }),
        callTool("write_file", { file_path: "new", content: "new" }),
      ],
    ]),
    commands: ({ workspace }) => [
      createRestoreCommand({
        checkpoints: async () => checkpoints,
        workspaceRoot: workspace.root,
      }),
    ],
    tools: () => [
      createRestoreTool({
        checkpoints: async () => checkpoints,
        currentTurn: () => stage.session().snapshot().turn?.prompt.turn ?? 0,
      }),
    ],
  });
  await stage.prompt("go");
  return {
    ...stage,
    read: (file: string) => stage.workspace.read(file),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await kept[Symbol.asyncDispose]();
    },
  };
}

test("/restore lists the turns with edits that can be undone", async () => {
  await using stage = await openStage();

  const lines = (await stage.run("/restore")).split("\n");

  expect(lines[1]).toBe("  1 (2026-01-02 03:04 UTC): a, new (new)");
});

test("/restore TURN shows the changes, undoes the edits, and can be undone [RFC-23]", async () => {
  await using stage = await openStage();

  const begun = await stage.begin("/restore 1");
  const shown = stage.question()?.confirmationRequest?.details;
  await stage.answer("proceed_once");
  await stage.end();
  const restored = await stage.read("a");
  await stage.begin("/restore 2");
  await stage.answer("proceed_once");
  await stage.end();

  expect(begun).toMatchObject({
    status: "AWAITING_ACTION_CONFIRMATION",
    message: "Restore 2 files to before turn 1",
  });
  expect(shown).toMatchObject({
    value: { description: expect.stringContaining("change back a\n  delete new") },
  });
  expect(restored).toBe("before");
  expect(await stage.read("a")).toBe("after");
  expect(await stage.read("new")).toBe("new");
});

test("a rejected restore changes nothing and reports that nothing was restored", async () => {
  await using stage = await openStage();
  await stage.begin("/restore 1");

  await stage.answer("cancel");
  await stage.end();

  expect(stage.texts().at(-1)).toBe("nothing was restored");
  expect(await stage.read("a")).toBe("after");
});

test("the question of a restore survives a restart", async () => {
  await using stage = await openStage();
  await stage.begin("/restore 1");

  await stage.reopen();
  await stage.answer("proceed_once");
  await stage.end();

  expect(stage.texts().at(-1)).toContain("the edits are undone");
  expect(await stage.read("a")).toBe("before");
});

test("/restore refuses a turn without a checkpoint and an argument that is no number [RFC-24]", async () => {
  await using stage = await openStage();

  expect(await stage.run("/restore 9")).toBe(
    "there is no checkpoint of turn 9; turns with a checkpoint: 1",
  );
  expect(await stage.run("/restore all")).toBe(
    '"all" is not the number of a turn; /restore lists the turns',
  );
});
