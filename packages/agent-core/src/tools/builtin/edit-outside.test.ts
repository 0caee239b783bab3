import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { tryTool } from "../testing/try-tool.js";
import { createOwnEdits } from "./edit/own-edits.js";
import { createReplace } from "./edit/replace.js";
import { createWriteFile } from "./edit/write-file.js";

const ownEdits = createOwnEdits();
const replace = createReplace({ ownEdits });
const writeFileTool = createWriteFile({ ownEdits });

async function openStage(files: Readonly<Record<string, string>> = {}) {
  const workspace = await openTempWorkspace();
  const at = (file: string) => path.join(workspace.root, file);
  for (const [name, content] of Object.entries(files)) await writeFile(at(name), content);
  return { ...workspace, at };
}

const write = (content: string) => ({ content });
const change = (old_string: string, new_string: string) => ({ old_string, new_string });

test("the question about a file outside the workspace shows only the new content [SEC-06]", async () => {
  await using workspace = await openStage();
  await using elsewhere = await openStage({ target: "secret\n" });
  const input = { file_path: elsewhere.at("target"), content: "new\n" };

  const { plan, output } = await tryTool(writeFileTool, input, { workspace });

  const note = "the file is not read until this edit is allowed";
  const file = elsewhere.at("target");
  expect(plan).toEqual({
    description: `Write ${file}`,
    actions: [{ type: "edit", path: file, isInside: false }],
    details: {
      $case: "fileEditDetails",
      value: {
        fileName: "target",
        filePath: file,
        newContent: "new\n",
        formattedDiff: `--- ${file}\n+++ ${file}\n@@ -0,0 +1,1 @@ ${note}\n+new\n`,
      },
    },
  });
  expect(output.result?.value).toMatchObject({ oldContent: "secret\n", newContent: "new\n" });
  expect(await elsewhere.read("target")).toBe("new\n");
});

test("the question about a replacement outside the workspace shows both texts [SEC-06]", async () => {
  await using workspace = await openStage();
  await using elsewhere = await openStage({ target: "secret one\n" });
  const input = { ...change("one", "1"), file_path: elsewhere.at("target") };

  const { plan } = await tryTool(replace, input, { workspace });

  const file = elsewhere.at("target");
  const title = `Replace this text, which must occur once, in ${file} (the file is not read until this edit is allowed):`;
  const cut = "\\ No newline at end of file";
  const description = `${title}\n-one\n${cut}\n+1\n${cut}\n`;
  expect(plan.details).toEqual({ $case: "genericDetails", value: { description } });
  expect(await elsewhere.read("target")).toBe("secret 1\n");
});

test.each([
  ["write_file", writeFileTool, write("new\n")],
  ["replace", replace, change("old", "new")],
])(
  "%s outside the workspace writes the person's edited version exactly [RFC-21]",
  async (_name, tool, input) => {
    await using workspace = await openStage();
    await using elsewhere = await openStage({ target: "old\n" });
    const outside = { ...input, file_path: elsewhere.at("target") };

    await tryTool(tool, outside, {
      workspace,
      meanwhile: async () => tool.revise?.(outside, "mine\n"),
    });

    expect(await elsewhere.read("target")).toBe("mine\n");
  },
);

test("the error of a failed edit outside the workspace does not show the file's content", async () => {
  await using workspace = await openStage();
  await using elsewhere = await openStage({ target: "secret one\n" });
  const input = { ...change("secret 1", "x"), file_path: elsewhere.at("target") };

  const editing = tryTool(replace, input, { workspace });

  await expect(editing).rejects.toMatchObject({
    type: "no_match",
    message: `old_string is not in ${elsewhere.at("target")}; read the file again`,
  });
});
