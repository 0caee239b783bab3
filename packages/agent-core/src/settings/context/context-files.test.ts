import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempHome } from "../temp-home.test-support.js";
import { collectContextFiles } from "./context-files.js";

test("context files are ordered from general to specific", async () => {
  await using temp = await openTempHome();
  const files = [
    await temp.write(".gemini/GEMINI.md", "gemini"),
    await temp.write(".config/dt/AGENTS.md", "person"),
    await temp.write("extension/EXT.md", "extension"),
    await temp.write("AGENTS.md", "home"),
    await temp.write("work/AGENTS.md", "workspace"),
    await temp.write("work/GEMINI.md", "workspace too"),
  ];

  const context = await collectContextFiles({ ...temp, extensionFiles: [files[2] ?? ""] });

  expect(context.files).toEqual(files);
  const texts = ["gemini", "person", "extension", "home", "workspace", "workspace too"];
  expect(context.text).toBe(files.map((file, n) => `--- ${file} ---\n${texts[n]}`).join("\n\n"));
});

test("context files are read from parent directories up to the repository's root", async () => {
  await using temp = await openTempHome();
  const workspace = path.join(temp.workspace, "packages", "one");
  await temp.write("work/packages/one/x.ts", "");
  await mkdir(path.join(temp.workspace, ".git"));
  await temp.write("AGENTS.md", "outside of the repository");
  const root = await temp.write("work/AGENTS.md", "root");
  const between = await temp.write("work/packages/AGENTS.md", "packages");

  const context = await collectContextFiles({ home: temp.home, workspace });

  expect(context.files).toEqual([root, between]);
});

test("only the workspace's own files are read if the workspace is in neither home nor a repository", async () => {
  await using temp = await openTempHome();
  await temp.write("AGENTS.md", "a parent's");
  const own = await temp.write("work/AGENTS.md", "own");

  const context = await collectContextFiles({
    home: path.join(temp.home, "somebody"),
    workspace: temp.workspace,
  });

  expect(context.files).toEqual([own]);
});

test("a file with two names is read once, and a link out of the workspace is ignored [SEC-05]", async () => {
  await using temp = await openTempHome();
  await mkdir(path.join(temp.workspace, ".git"));
  const agents = await temp.write("work/AGENTS.md", "once");
  await symlink(agents, path.join(temp.workspace, "GEMINI.md"));
  const secret = await temp.write(".ssh/id", "private key");
  await symlink(secret, path.join(temp.workspace, "OTHER.md"));

  const context = await collectContextFiles({
    ...temp,
    fileNames: ["AGENTS.md", "GEMINI.md", "OTHER.md"],
  });

  expect(context).toEqual({ files: [agents], text: `--- ${agents} ---\nonce` });
});

test.each([
  ["is in home and in no repository", undefined],
  ["is in a repository whose root is home", ".git/HEAD"],
  ["is in a repository whose root is its parent", "work/.git/HEAD"],
])("a link out of the workspace is not read if the workspace %s [SEC-06]", async (_top, head) => {
  await using temp = await openTempHome();
  if (head !== undefined) await temp.write(head, "ref: refs/heads/main");
  const above = await temp.write("work/.env", "KEY=1");
  const secret = await temp.write(".ssh/id", "private key");
  const agents = await temp.write("work/cloned/docs/agents.md", "inside");
  const workspace = path.join(temp.workspace, "cloned");
  const links = { "AGENTS.md": agents, "GEMINI.md": secret, "OTHER.md": above };
  for (const [name, target] of Object.entries(links)) {
    await symlink(target, path.join(workspace, name));
  }

  const { files, text } = await collectContextFiles({
    home: temp.home,
    workspace,
    fileNames: Object.keys(links),
  });

  expect(files).toEqual([path.join(workspace, "AGENTS.md")]);
  expect(text).toContain("inside");
});

test("general files are cut first at the size limit, and a note reports the cut", async () => {
  await using temp = await openTempHome();
  const general = await temp.write(".config/dt/AGENTS.md", "ä".repeat(10));
  const specific = await temp.write("work/AGENTS.md", "specific");

  const { text } = await collectContextFiles({ ...temp, maxBytes: 13 });

  expect(text).toBe(
    `--- ${general} ---\nää\n[the last 15 of 20 bytes of this file were cut]\n\n--- ${specific} ---\nspecific`,
  );
});

test("the context is empty if there are no context files", async () => {
  await using temp = await openTempHome();

  expect(await collectContextFiles(temp)).toEqual({ text: "", files: [] });
});
