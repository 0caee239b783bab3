import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { mentionsProtectedName, PROTECTED_NAMES, PROTECTED_SEQUENCES } from "./protected-paths.js";
import { openWorkspace } from "./workspace.js";

test.each([...PROTECTED_NAMES, ...PROTECTED_SEQUENCES.map((names) => names.join("/"))])(
  "%s and everything below it is protected [SEC-08]",
  async (name) => {
    await using workspace = await openTempWorkspace();

    expect(await isProtected(workspace, name)).toBe(true);
    expect(await isProtected(workspace, `a/${name.toUpperCase()}/b`)).toBe(true);
  },
);

test.each([
  ...["package.json", ".npmrc", ".gitignore", ".github/workflows/a.yml", "AGENTS.md", "GEMINI.md"],
  ...["src/hooks/use-it.ts", "git/config", "a.git", ".env", ".editorconfig", "Makefile", "x.dt"],
  ...[".config/other", ".gitkeep", "src/.git-notes", "profile"],
])("%s is not protected [SEC-08]", async (name) => {
  await using workspace = await openTempWorkspace();

  expect(await isProtected(workspace, name)).toBe(false);
});

test.each([".Git/config", ".git./config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/config"])(
  "%j is protected, because some file systems treat it as .git [SEC-08]",
  async (name) => {
    await using workspace = await openTempWorkspace();

    expect(await isProtected(workspace, name)).toBe(true);
  },
);

test.each(["store.git/hooks/post-checkout", "a/Store.GIT/config", "store.git./config"])(
  "%s is protected, because a directory named *.git may be a repository [SEC-08]",
  async (name) => {
    await using workspace = await openTempWorkspace();

    expect(await isProtected(workspace, name)).toBe(true);
  },
);

test("a path through a link is protected if the link's name or its target is protected [SEC-08]", async () => {
  await using workspace = await openTempWorkspace();
  await mkdir(path.join(workspace.root, ".git"));
  await mkdir(path.join(workspace.root, "plain"));
  await symlink(".git", path.join(workspace.root, "link"));
  await symlink("plain", path.join(workspace.root, ".vscode"));

  expect(await isProtected(workspace, "link/config")).toBe(true);
  expect(await isProtected(workspace, ".vscode/tasks.json")).toBe(true);
  expect(await isProtected(workspace, "plain/tasks.json")).toBe(false);
});

test("the agent's own directories are protected, even if a path reaches them by a link [SEC-08]", async () => {
  await using temp = await openTempWorkspace();
  const own = path.join(temp.root, "data");
  await mkdir(own);
  await symlink("data", path.join(temp.root, "link"));
  const workspace = await openWorkspace(temp.root, { agentDirectories: [own] });

  expect(await isProtected(workspace, "data/dt.db")).toBe(true);
  expect(await isProtected(workspace, "link/dt.db")).toBe(true);
  expect(await isProtected(workspace, "database")).toBe(false);
});

test("if a directory above the workspace has a protected name, the workspace's files are not protected [SEC-08]", async () => {
  await using temp = await openTempWorkspace();
  const root = path.join(temp.root, ".claude/worktrees/a");
  await mkdir(root, { recursive: true });
  const workspace = await openWorkspace(root, { agentDirectories: [temp.root] });

  expect(await isProtected(workspace, "a.txt")).toBe(false);
  expect(await isProtected(workspace, ".claude/settings.json")).toBe(true);
});

test.each(["cp a .git/config", "dd of=.GIT/config", "tee '.vscode'/x"])(
  "the command %j mentions a protected name",
  (text) => {
    expect(mentionsProtectedName(text)).toBe(true);
  },
);

test.each(["git clone https://example.com/a.git", "git add .gitignore"])(
  "the command %j mentions no protected name",
  (text) => {
    expect(mentionsProtectedName(text)).toBe(false);
  },
);

async function isProtected(
  workspace: Awaited<ReturnType<typeof openWorkspace>>,
  file: string,
): Promise<boolean> {
  return (await workspace.resolve(file)).isProtected === true;
}
