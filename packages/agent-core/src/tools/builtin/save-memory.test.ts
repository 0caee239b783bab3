import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { tryTool } from "../testing/try-tool.js";
import { buildMemoryAddition } from "./memory-addition.js";
import { createSaveMemory } from "./save-memory.js";

test.each([
  ["an empty file", "", "## Remembered\n\n- fact\n"],
  ["a file with another heading", "# Mine\n\ntext\n", "\n## Remembered\n\n- fact\n"],
  ["a file without a last line end", "text", "\n\n## Remembered\n\n- fact\n"],
  ["a list of facts", "## Remembered\n\n- one\n", "- fact\n"],
  ["a list of facts without a last line end", "## Remembered\n\n- one", "\n- fact\n"],
  [
    "a list of facts before another heading",
    "## Remembered\n\n- one\n\n## B\n",
    "\n## Remembered\n\n- fact\n",
  ],
])("the addition to %s puts the fact under the heading", (_name, before, addition) => {
  expect(buildMemoryAddition(before, "fact")).toBe(addition);
});

test("save_memory shows the fact and the file in its question, then adds the fact", async () => {
  await using workspace = await openTempWorkspace();
  const memoryFile = path.join(workspace.root, "config/memory.md");

  const { plan, text } = await tryTool(
    createSaveMemory({ memoryFile }),
    { fact: "I like tea.\n## Not a heading\x1b[31m" },
    { workspace },
  );

  expect(plan.actions).toEqual([
    { type: "other", name: "save_memory", target: memoryFile, isProtected: true },
  ]);
  expect(plan.details).toEqual({
    $case: "genericDetails",
    value: { description: `Remember: I like tea. ## Not a heading (in ${memoryFile})` },
  });
  expect(text).toBe(`remembered in ${memoryFile}: I like tea. ## Not a heading`);
  expect(await workspace.read("config/memory.md")).toBe(
    "## Remembered\n\n- I like tea. ## Not a heading\n",
  );
});

test("save_memory keeps all facts that are saved at the same time", async () => {
  await using workspace = await openTempWorkspace();
  const tool = createSaveMemory({ memoryFile: path.join(workspace.root, "memory.md") });
  await tryTool(tool, { fact: "zero" }, { workspace });

  await Promise.all(["one", "two", "three"].map((fact) => tryTool(tool, { fact }, { workspace })));

  const kept = (await workspace.read("memory.md")).match(/^- .*$/gm);
  expect(kept?.sort()).toEqual(["- one", "- three", "- two", "- zero"]);
});

test("a memory file that is a link stays a link", async () => {
  await using workspace = await openTempWorkspace();
  await using dotfiles = await openTempWorkspace();
  await writeFile(path.join(dotfiles.root, "memory.md"), "# Mine\n");
  const memoryFile = path.join(workspace.root, "memory.md");
  await symlink(path.join(dotfiles.root, "memory.md"), memoryFile);

  await tryTool(createSaveMemory({ memoryFile }), { fact: "fact" }, { workspace });

  expect(await dotfiles.read("memory.md")).toBe("# Mine\n\n## Remembered\n\n- fact\n");
});
