import {
  appendFile,
  chmod,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import type { FileDiff } from "@dt/schema";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { encodeText } from "../../workspace/text/text-encoding.js";
import { tryTool } from "../testing/try-tool.js";
import { createOwnEdits } from "./edit/own-edits.js";
import { createReplace } from "./edit/replace.js";
import { createWriteFile } from "./edit/write-file.js";

const ownEdits = createOwnEdits();
const replace = createReplace({ ownEdits });
const writeFileTool = createWriteFile({ ownEdits });

async function openStage(files: Readonly<Record<string, string | Buffer>> = {}) {
  const workspace = await openTempWorkspace();
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(workspace.root, name), content);
  }
  return { ...workspace, at: (file: string) => path.join(workspace.root, file) };
}

const write = (content: string) => ({ file_path: "a.txt", content });
const change = (old_string: string, new_string: string) => ({
  file_path: "a.txt",
  old_string,
  new_string,
});

test("an edit shows the whole change, makes it and returns it [RFC-13] [RFC-15]", async () => {
  await using workspace = await openStage({ "a.txt": "one\ntwo\n" });

  const { plan, output } = await tryTool(replace, change("two", "2"), { workspace });

  const diff: FileDiff = {
    fileName: "a.txt",
    filePath: workspace.at("a.txt"),
    oldContent: "one\ntwo\n",
    newContent: "one\n2\n",
    formattedDiff: "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
  };
  expect(plan).toEqual({
    description: "Edit a.txt",
    actions: [{ type: "edit", path: workspace.at("a.txt"), isInside: true }],
    details: { $case: "fileEditDetails", value: diff },
  });
  expect(output).toEqual({ result: { $case: "diff", value: diff } });
  expect(await workspace.read("a.txt")).toBe("one\n2\n");
});

test.each([
  ["write_file", writeFileTool, write("theirs\n")],
  ["replace", replace, change("old", "theirs")],
])("%s writes the person's edited version exactly", async (_name, tool, input) => {
  await using workspace = await openStage({ "a.txt": "old\r\n" });

  const { output } = await tryTool(tool, input, {
    workspace,
    meanwhile: async () => tool.revise?.(input, "mine\nwith LF\n"),
  });

  expect(await workspace.read("a.txt")).toBe("mine\nwith LF\n");
  expect(output.result?.value).toMatchObject({ newContent: "mine\nwith LF\n" });
});

test.each([
  ["write_file", writeFileTool, write("new\n")],
  ["replace", replace, change("old", "new")],
])("%s refuses a file that changed after it was shown", async (_name, tool, input) => {
  await using workspace = await openStage({ "a.txt": "old\n" });

  const editing = tryTool(tool, input, {
    workspace,
    meanwhile: () => writeFile(workspace.at("a.txt"), "old, and more\n"),
  });

  await expect(editing).rejects.toMatchObject({ type: "file_changed" });
  expect(await workspace.read("a.txt")).toBe("old, and more\n");
});

test("a replacement fails with file_changed if someone else removed its old text", async () => {
  await using workspace = await openStage({ "a.txt": "old\n" });

  const editing = tryTool(replace, change("old", "new"), {
    workspace,
    meanwhile: () => writeFile(workspace.at("a.txt"), "theirs\n"),
  });

  await expect(editing).rejects.toMatchObject({
    type: "file_changed",
    message: "a.txt changed after the edit was shown; nothing was written, so read the file again",
  });
});

test("if two replacements in one file were shown together, both are made", async () => {
  await using workspace = await openStage({ "a.txt": "one\ntwo\n" });

  const { output } = await tryTool(replace, change("two", "2"), {
    workspace,
    meanwhile: async () => void (await tryTool(replace, change("one", "1"), { workspace })),
  });

  expect(await workspace.read("a.txt")).toBe("1\n2\n");
  expect(output.result?.value).toMatchObject({ oldContent: "1\ntwo\n", newContent: "1\n2\n" });
});

test("a replacement is refused if an earlier replacement made its old text ambiguous", async () => {
  await using workspace = await openStage({ "a.txt": "one\ntwo\n" });

  const editing = tryTool(replace, change("two", "2"), {
    workspace,
    meanwhile: async () => void (await tryTool(replace, change("one", "two"), { workspace })),
  });

  await expect(editing).rejects.toMatchObject({
    type: "file_changed",
    message: expect.stringMatching(
      /^a.txt was changed by an earlier call of this step, .* should occur 1 time, but it occurs 2 times/,
    ),
  });
  expect(await workspace.read("a.txt")).toBe("two\ntwo\n");
});

test.each([
  ["a write of the whole file", writeFileTool, write("new\n"), undefined],
  ["the person's own version", replace, change("two", "2"), "mine\n"],
])("%s does not overwrite an earlier edit of the step", async (_name, tool, input, content) => {
  await using workspace = await openStage({ "a.txt": "one\ntwo\n" });

  const editing = tryTool(tool, input, {
    workspace,
    async meanwhile() {
      await tryTool(replace, change("one", "1"), { workspace });
      return content === undefined ? undefined : tool.revise?.(input, content);
    },
  });

  await expect(editing).rejects.toMatchObject({
    type: "file_changed",
    message:
      "a.txt was changed by an earlier call of this step after the edit was shown; nothing was written, so try again",
  });
  expect(await workspace.read("a.txt")).toBe("1\ntwo\n");
});

test.each([
  ["before", "they, edit"],
  ["after", "edit, they"],
])("an edit fails if another program wrote the file %s the step's first edit", async (_, order) => {
  await using workspace = await openStage({ "a.txt": "one\ntwo\n" });

  const editing = tryTool(replace, change("two", "2"), {
    workspace,
    async meanwhile() {
      for (const who of order.split(", ")) {
        if (who === "edit") await tryTool(replace, change("one", "1"), { workspace });
        else await appendFile(workspace.at("a.txt"), "theirs\n");
      }
    },
  });

  await expect(editing).rejects.toMatchObject({
    type: "file_changed",
    message: expect.stringContaining("changed after the edit was shown"),
  });
  expect(await workspace.read("a.txt")).toBe("1\ntwo\ntheirs\n");
});

test("a replacement that differs from the shown one is refused", async () => {
  await using workspace = await openStage({ "a.txt": "one\ntwo\n" });

  const editing = tryTool(replace, change("two", "2"), {
    workspace,
    async meanwhile() {
      await tryTool(replace, change("one", "1"), { workspace });
      return change("two", "another");
    },
  });

  await expect(editing).rejects.toMatchObject({ type: "file_changed" });
  expect(await workspace.read("a.txt")).toBe("1\ntwo\n");
});

test("an edit that was approved in another process is not made", async () => {
  await using workspace = await openStage({ "a.txt": "old\n" });

  const editing = tryTool(replace, change("old", "new"), { workspace, planned: undefined });

  await expect(editing).rejects.toMatchObject({ type: "approval_lost" });
  expect(await workspace.read("a.txt")).toBe("old\n");
});

test.each([
  ["shown", {}],
  ["not shown", { shown: undefined }],
])(
  "an edit that was %s does not write through a link that appeared after the plan",
  async (_name, run) => {
    await using workspace = await openStage();
    await using elsewhere = await openStage({ target: "before\n" });

    const editing = tryTool(writeFileTool, write("new\n"), {
      workspace,
      ...run,
      meanwhile: () => symlink(elsewhere.at("target"), workspace.at("a.txt")),
    });

    await expect(editing).rejects.toMatchObject({ type: "file_changed" });
    expect(await elsewhere.read("target")).toBe("before\n");
  },
);

test("an edit through a link is planned as outside the workspace", async () => {
  await using workspace = await openStage();
  await using elsewhere = await openStage({ target: "before\n" });
  await symlink(elsewhere.at("target"), workspace.at("a.txt"));

  const { plan } = await tryTool(writeFileTool, write("new\n"), { workspace });

  expect(plan.actions).toEqual([{ type: "edit", path: elsewhere.at("target"), isInside: false }]);
  expect(await elsewhere.read("target")).toBe("new\n");
});

test.each(["utf-8", "utf-8-bom", "utf-16le", "utf-16be"] as const)(
  "a replacement in a %s file keeps the file's encoding, mode and line endings",
  async (encoding) => {
    const before = encodeText({ text: "größe\r\nzwei\r\n", encoding });
    await using workspace = await openStage({ "a.txt": before });
    await chmod(workspace.at("a.txt"), 0o750);

    await tryTool(replace, change("größe\nzwei", "größer\n2"), { workspace });

    expect(await readFile(workspace.at("a.txt"))).toEqual(
      encodeText({ text: "größer\r\n2\r\n", encoding }),
    );
    expect((await stat(workspace.at("a.txt"))).mode & 0o777).toBe(0o750);
  },
);

test("write_file keeps the CRLF line endings of a file", async () => {
  await using workspace = await openStage({ "a.txt": "one\r\ntwo\r\n" });

  await tryTool(writeFileTool, write("1\n2\n"), { workspace });

  expect(await workspace.read("a.txt")).toBe("1\r\n2\r\n");
});

test("an edit of a binary file is refused without a question", async () => {
  await using workspace = await openStage({ "a.txt": Buffer.from([1, 0, 2]) });

  const asking = tryTool(replace, change("a", "b"), {
    workspace,
    meanwhile: async (): Promise<void> => {
      throw new Error("a question was asked");
    },
  });

  await expect(asking).rejects.toMatchObject({
    type: "not_text",
    message: expect.stringContaining("a.txt is not UTF-8 or UTF-16 text"),
  });
});

test("write_file creates a new file and its directories", async () => {
  await using workspace = await openStage();

  const { plan } = await tryTool(
    writeFileTool,
    { file_path: "x/y/z.txt", content: "new\n" },
    { workspace },
  );

  expect(plan.description).toBe("Create x/y/z.txt");
  expect(await workspace.read("x/y/z.txt")).toBe("new\n");
  expect(await readdir(workspace.at("x/y"))).toEqual(["z.txt"]);
});

test("a file that was removed after it was shown is not created again", async () => {
  await using workspace = await openStage({ "a.txt": "old\n" });

  const editing = tryTool(writeFileTool, write("new\n"), {
    workspace,
    meanwhile: () => rm(workspace.at("a.txt")),
  });

  await expect(editing).rejects.toMatchObject({ type: "file_changed" });
  expect(await readdir(workspace.root)).toEqual([]);
});

test("write_file refuses a path that treats a file as a directory", async () => {
  await using workspace = await openStage({ file: "" });

  const editing = tryTool(writeFileTool, { file_path: "file/a", content: "" }, { workspace });

  await expect(editing).rejects.toMatchObject({ type: "not_a_directory" });
});
