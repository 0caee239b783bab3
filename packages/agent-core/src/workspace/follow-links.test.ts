import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { openWorkspace } from "./workspace.js";

async function openStage() {
  const outer = await openTempWorkspace();
  const at = (...names: readonly string[]) => path.join(outer.root, ...names);
  await mkdir(at("ws", "sub"), { recursive: true });
  await mkdir(at("out", "dir"), { recursive: true });
  await writeFile(at("ws", "sub", "file"), "inside");
  await writeFile(at("out", "file"), "outside");
  await symlink("ws", at("alias"));
  return {
    at,
    workspace: await openWorkspace(at("alias")),
    [Symbol.asyncDispose]: () => outer[Symbol.asyncDispose](),
  };
}

test.each([
  ["a plain path", "sub/file", undefined, "ws/sub/file", true],
  ["a path that does not exist", "sub/none/at/all", undefined, "ws/sub/none/at/all", true],
  ["a path through a file", "sub/file/x", undefined, "ws/sub/file/x", true],
  ["a link within the workspace", "link/file", "sub", "ws/sub/file", true],
  [
    "a link to the workspace by a path that contains a link",
    "link/file",
    "ALIAS/sub",
    "ws/sub/file",
    true,
  ],
  ["a link that climbs above the root and back", "link", "../ws/sub/file", "ws/sub/file", true],
  ["a link to a directory outside", "link/file", "../out", "out/file", false],
  ["a link to a missing file outside", "link/x", "../out/none", "out/none/x", false],
  ["a link to a link outside that leads back", "link/file", "../out/back", "ws/sub/file", false],
  [
    "a link that goes through a directory outside and back",
    "link",
    "../out/dir/../../ws/sub/file",
    "ws/sub/file",
    false,
  ],
  [
    "a link that goes through a missing directory outside and back",
    "link",
    "../out/none/../../ws/sub/file",
    "ws/sub/file",
    false,
  ],
  ["a link to a loop outside", "link", "../out/loop", "out/loop", false],
  ["a path whose dots leave the workspace", "../out/file", undefined, "out/file", false],
])("%s is resolved to its target", async (_name, file, target, expected, isInside) => {
  await using stage = await openStage();
  await symlink(stage.at("ws", "sub"), stage.at("out", "back"));
  await symlink("loop", stage.at("out", "loop"));
  if (target !== undefined) {
    await symlink(target.replace("ALIAS", stage.at("alias")), stage.at("ws", "link"));
  }

  const resolved = await stage.workspace.resolve(file);

  expect(resolved).toMatchObject({ absolute: stage.at(expected), isInside });
});

test("an absolute path that reaches the workspace through a link is inside the workspace", async () => {
  await using stage = await openStage();

  expect(await stage.workspace.resolve(stage.at("alias", "sub", "file"))).toMatchObject({
    display: "sub/file",
    isInside: true,
  });
});

test("a path that starts outside and leads into the workspace is treated as outside [SEC-06]", async () => {
  await using stage = await openStage();
  await symlink(stage.at("ws", "sub"), stage.at("out", "in"));

  const resolved = await Promise.all(
    ["in/file", "none/file"].map((file) => stage.workspace.resolve(stage.at("out", file))),
  );

  expect(resolved.map(({ isInside }) => isInside)).toEqual([false, false]);
});

test.each([
  ["missing", "none"],
  ["in a loop of links", "loop"],
  ["below a file", "file/x"],
  ["below a directory without permissions", "closed/x"],
  ["too long for one file name", "x".repeat(300)],
  ["longer than any system allows", "x/".repeat(50_000)],
])("a path outside the workspace that is %s resolves to itself [SEC-06]", async (_name, file) => {
  await using stage = await openStage();
  await symlink("loop", stage.at("out", "loop"));
  await mkdir(stage.at("out", "closed"));
  await chmod(stage.at("out", "closed"), 0o000);
  const absolute = path.resolve(stage.at("out", file));

  expect(await stage.workspace.resolve(absolute)).toEqual({
    absolute,
    display: absolute,
    isInside: false,
  });
});

test("a path with a NUL character is refused", async () => {
  await using stage = await openStage();

  await expect(stage.workspace.resolve("a\0b")).rejects.toMatchObject({ type: "invalid_input" });
});
