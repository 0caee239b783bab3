import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { openWorkspace } from "../workspace/workspace.js";
import { followWord } from "./follow-word.js";

test.each([
  ["a.txt", "ws/a.txt", "inside"],
  ["sub/../a.txt", "ws/a.txt", "inside"],
  ["./sub//x/.", "ws/sub/x", "inside"],
  ["..", ".", "outside"],
  ["../ws/a.txt", "ws/a.txt", "inside"],
  ["inner/c.txt", "ws/sub/c.txt", "inside linked"],
  ["inner/../a.txt", "ws/a.txt", "inside linked"],
  ["link/x", "outside/x", "outside linked"],
  ["link/../x", "x", "outside linked"],
  ["sub/up/ws/a.txt", "ws/a.txt", "inside linked"],
  ["dangling", "outside/nothing", "outside linked"],
  ["../outside/back", "ws/a.txt", "outside linked"],
  ["link/back", "ws/a.txt", "outside linked"],
  [".git/config", "ws/.git/config", "inside protected"],
  [".git/../a.txt", "ws/a.txt", "inside protected"],
  ["to-git/config", "ws/.git/config", "inside protected linked"],
])("the word %j leads to %s with the flags %j", async (word, target, flags) => {
  await using stage = await openStage();

  const followed = await followWord(stage.workspace.root, word, stage.workspace);

  expect(followed).toEqual({
    absolute: path.join(stage.root, target),
    isInside: flags.includes("inside"),
    isProtected: flags.includes("protected"),
    isLinked: flags.includes("linked"),
    isThroughProc: false,
  });
});

test("a word that passes through /proc is reported, no matter where it leads", async () => {
  await using stage = await openStage();
  const { root } = stage.workspace;

  for (const word of ["self", "self/a.txt", "/proc/self/cwd"]) {
    expect(await followWord(root, word, stage.workspace)).toMatchObject({ isThroughProc: true });
  }
});

test("followWord throws for a loop of links and returns undefined for a path that is too long", async () => {
  await using stage = await openStage();
  const { root } = stage.workspace;

  await expect(followWord(root, "loop/x", stage.workspace)).rejects.toThrow();
  expect(await followWord(root, "x".repeat(256), stage.workspace)).toBeUndefined();
  expect(await followWord(root, "x/".repeat(3000), stage.workspace)).toBeUndefined();
});

async function openStage() {
  const temp = await openTempWorkspace();
  const at = (name: string) => path.join(temp.root, "ws", name);
  await mkdir(at("sub"), { recursive: true });
  await mkdir(at(".git"));
  await mkdir(path.join(temp.root, "outside"));
  await symlink("../ws/a.txt", path.join(temp.root, "outside", "back"));
  await symlink("../outside", at("link"));
  await symlink("sub", at("inner"));
  await symlink("../..", at("sub/up"));
  await symlink("../outside/nothing", at("dangling"));
  await symlink(".git", at("to-git"));
  await symlink("/proc/self/cwd", at("self"));
  await symlink("loop", at("loop"));
  return {
    root: temp.root,
    workspace: await openWorkspace(at(".")),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}
