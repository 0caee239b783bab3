import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { openWorkspace, type Workspace } from "../../workspace/workspace.js";
import { tryTool } from "../testing/try-tool.js";
import type { Tool, ToolInput } from "../tool.js";
import { createOwnEdits } from "./edit/own-edits.js";
import { createReplace } from "./edit/replace.js";
import { createWriteFile } from "./edit/write-file.js";
import { createReadFile } from "./read-file.js";
import { createGlob } from "./search/glob.js";
import { listDirectory } from "./search/list-directory.js";
import { createSearchFileContent } from "./search/search-file-content.js";

/** A workspace whose directory `sub` the test can replace with a link to a directory outside. */
async function openStage() {
  const outer = await openTempWorkspace();
  const at = (...names: readonly string[]) => path.join(outer.root, ...names);
  await mkdir(at("ws", "sub"), { recursive: true });
  await mkdir(at("out"));
  await writeFile(at("ws", "sub", "both"), "line of mine\n");
  await writeFile(at("out", "both"), "line of theirs\n");
  await writeFile(at("out", "theirs"), "line of theirs\n");
  const workspace = await openWorkspace(at("ws"));
  return {
    at,
    workspace,
    async swap() {
      await rename(at("ws", "sub"), at("ws", ".sub"));
      await symlink(at("out"), at("ws", "sub"));
    },
    async swapBack() {
      await rm(at("ws", "sub"));
      await rename(at("ws", ".sub"), at("ws", "sub"));
    },
    [Symbol.asyncDispose]: () => outer[Symbol.asyncDispose](),
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

const ownEdits = createOwnEdits();
const tools: readonly (readonly [Tool, ToolInput])[] = [
  [createReadFile(), { file_path: "sub/both" }],
  [listDirectory, { path: "sub" }],
  [createGlob(), { pattern: "**", path: "sub" }],
  [createSearchFileContent(), { pattern: "line", path: "sub" }],
  [createSearchFileContent(), { pattern: "line", path: "sub/both" }],
  [createWriteFile({ ownEdits }), { file_path: "sub/both", content: "x" }],
  [createReplace({ ownEdits }), { file_path: "sub/both", old_string: "line", new_string: "x" }],
];

/** Returns a workspace that replaces `sub` with the link after it has resolved `after` paths. */
function swapping(stage: Stage, after: number): Workspace {
  let count = 0;
  return {
    root: stage.workspace.root,
    async resolve(file) {
      const resolved = await stage.workspace.resolve(file);
      count += 1;
      if (count === after) await stage.swap();
      return resolved;
    },
  };
}

test.each(
  tools.flatMap(([tool, input]) =>
    [1, 2, 3].map((after) => [tool.name, after, tool, input] as const),
  ),
)(
  "%s follows no link that appears after resolution %d of its path [SEC-06]",
  async (_name, after, tool, input) => {
    await using stage = await openStage();
    const resolutions = tool.preview === undefined ? 2 : 3;

    const [trial] = await Promise.allSettled([
      tryTool(tool, input, { workspace: swapping(stage, after) }),
    ]);

    const text = trial.status === "fulfilled" ? trial.value.text : String(trial.reason);
    expect(trial.status).toBe(after <= resolutions ? "rejected" : "fulfilled");
    expect(text).not.toContain("theirs");
    expect(text).not.toContain(stage.at("out"));
    expect(await readFile(stage.at("out", "both"), "utf8")).toBe("line of theirs\n");
  },
);

/** Writes a program that replaces `sub` with the link, runs `rg --follow` and restores `sub`. */
async function swappingRipgrep({ at }: Stage): Promise<string> {
  const script = [
    "#!/bin/sh",
    `cd '${at("ws")}' && mv sub .sub && ln -s '${at("out")}' sub && cd "$OLDPWD"`,
    `'${rgPath}' --follow "$@"`,
    `cd '${at("ws")}' && rm sub && mv .sub sub`,
  ];
  await writeFile(at("rg"), script.join("\n"));
  await chmod(at("rg"), 0o755);
  return at("rg");
}

test("search_file_content returns no line from outside the workspace if a directory becomes a link [SEC-06]", async () => {
  await using stage = await openStage();
  const { workspace } = stage;
  const search = createSearchFileContent({ findRipgrep: () => swappingRipgrep(stage) });

  const { text } = await tryTool(search, { pattern: "line" }, { workspace });

  expect(text).toBe("sub/both:1: line of mine");
});

test("glob returns no file from outside the workspace if a directory becomes a link [SEC-06]", async () => {
  await using stage = await openStage();
  const { workspace } = stage;
  const glob = createGlob({ findRipgrep: () => swappingRipgrep(stage) });

  const { text } = await tryTool(glob, { pattern: "**" }, { workspace });

  expect(text).toBe("sub/both");
});

test("the read tools reveal no file outside the workspace while a directory keeps becoming a link [SEC-06]", async () => {
  await using stage = await openStage();
  const { workspace } = stage;
  const search = createSearchFileContent();
  const glob = createGlob();
  let isDone = false;
  const swaps = (async () => {
    while (!isDone) {
      await stage.swap();
      await stage.swapBack();
    }
  })();

  const texts: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    const trials = [
      tryTool(listDirectory, { path: "sub" }, { workspace, planned: planned(stage) }),
      tryTool(glob, { pattern: "**" }, { workspace }),
      tryTool(search, { pattern: "line" }, { workspace }),
    ];
    for (const trial of await Promise.allSettled(trials)) {
      texts.push(trial.status === "fulfilled" ? trial.value.text : String(trial.reason));
    }
  }
  isDone = true;
  await swaps;

  expect(texts.filter((text) => text.includes("theirs"))).toEqual([]);
  expect(texts).toHaveLength(60);
});

function planned({ workspace }: Stage) {
  return [{ type: "read", path: path.join(workspace.root, "sub"), isInside: true }] as const;
}
