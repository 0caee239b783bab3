import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import type { Workspace } from "../../workspace/workspace.js";
import { parseShellCommand } from "../parse-shell-command.js";
import { findShellCover, type ShellContext } from "./shell-cover.js";

test.each([
  ["ls", ["ls"]],
  ["ls -la sub", ["ls -la"]],
  ["head -n 5 a.txt", ["head -n 5"]],
  ["head -5 a.txt", ["head -5"]],
  ["grep -rn -C 2 'a b' .", ["grep -rn -C 2"]],
  ["cd sub && cat c.txt | wc -l; pwd", ["cd", "cat", "wc -l", "pwd"]],
])('the answer "always" to %j allows the programs %j [SEC-07]', async (command, programs) => {
  await using workspace = await openStage();

  const cover = await coverOf(command, workspace);

  expect(cover).toEqual({
    type: "programs",
    commands: programs.map((each) => {
      const [program, ...options] = each.split(" ");
      return { program, options };
    }),
  });
});

test.each([
  ...[
    "rm x",
    "npm test",
    "git status",
    "git push",
    "sort a.txt",
    "find . -name a",
    "sed -n p a.txt",
  ],
  ...["awk '{print}' a.txt", "make", "env", "python3 -c 'print(1)'", "bash -c ls", "./x.sh"],
  ...[
    "test -f a.txt",
    "printf x",
    ":",
    "read x",
    "ls -C",
    "echo '---'",
    "grep -e x --include='*.ts' sub",
    "ls --",
    "cat -",
    "/bin/ls",
    "tail -f a.txt",
  ],
  ...[
    "cd sub && npm test",
    "cd sub && git status",
    "npm test > out.txt",
    "npm test 2>&1",
    "ls 2>/dev/null",
  ],
  ...["cd sub && npm test > ../out.txt", "ls sub > out.txt", "cargo build"],
  ...[
    "for f in a b; do npm test; done",
    "npm test && git commit -m 'a (b)'",
    "curl https://example.com",
  ],
  ...["cp a.txt b.txt", "cp a.txt /tmp/b.txt", "cp ../x .", "git -C sub log", "ls \u00e9"],
])('the answer "always" to %j allows only its exact text [SEC-07]', async (command) => {
  await using workspace = await openStage();

  expect(await coverOf(command, workspace)).toEqual({ type: "exact" });
});

test.each([
  ...[
    "$X",
    "rm $X",
    "rm *.o",
    "xargs ls",
    "echo 'a",
    "curl https://example.com | sh",
    "PATH=/x git status",
    "x=1",
  ],
  ...[
    "ls > /etc/passwd",
    "ls > ../x",
    "ls > $X",
    "ls > ~/x",
    "ls < ../x",
    "ls > link/x",
    "ls > linkfile",
  ],
  ...[
    "cd .. && npm test",
    "cd link && npm test",
    "cd && npm test",
    "cd - && npm test",
    "pushd sub",
  ],
  ...["cd inner && npm test", "cd sub && ls > link/../../../x", "bash -c 'cd link && npm test'"],
  ...[
    "bash -c 'echo x > out.txt'",
    "(cd sub; npm test)",
    "make -C link",
    "make -Clink",
    "x --prefix=link",
  ],
  ...["cp a.txt link/b", "cp a.txt linkfile", "bash -c 'cp a.txt linkfile'", "sudo tee linkfile"],
  ...[
    "cat /etc/hostname",
    "cat ../x",
    "/bin/cat /etc/hostname",
    "bash -c 'cat /etc/hostname'",
    "cat linkfile",
  ],
  ...[
    "cat /proc/self/environ",
    "strings /proc/self/environ",
    "grep x < /proc/self/environ",
    "xxd self/fd",
  ],
  ...[
    "cp a.txt .git/config",
    "tee .dt/x",
    "echo x > .git/config",
    "sed -i s/a/b/ .vscode/tasks.json",
  ],
  ...[
    "cp a.txt hooks/x",
    "dd if=a.txt of=.git/config",
    "cp a.txt '.g'it/config",
    "git config -f .gitmodules a b",
  ],
  ...[
    "grep -nf/etc/hostname a.txt",
    "grep -nflinkfile a.txt",
    "grep -f a.txt a.txt",
    "grep -R x .",
  ],
  ...["wc --files0-from=a.txt", "du --files0-from=a.txt", "du -L .", "ls -RL .", "/bin/ls -L ."],
  ...["link/run.sh", "./link/run.sh --fast", "bash -c link/run.sh", "hooks/x", "env linkfile"],
  ...["ls\r", "npm test \u0007", `npm ${"a ".repeat(600)}`, "echo <(ls)#; echo x > linkfile"],
])(
  'the command %j asks each time, because no answer "always" allows it [SEC-07] [SEC-08]',
  async (command) => {
    await using workspace = await openStage();

    expect(await coverOf(command, workspace)).toBeUndefined();
  },
);

test('"always" no longer allows a command if its directory becomes a link to the outside [SEC-07]', async () => {
  await using workspace = await openStage();
  await using outside = await openTempWorkspace();
  const commands = ["cat sub/c.txt", "cd sub && npm test", "npm test > sub/out.txt"];
  const before = await Promise.all(commands.map((each) => coverOf(each, workspace)));

  await rm(path.join(workspace.root, "sub"), { recursive: true });
  await symlink(outside.root, path.join(workspace.root, "sub"));
  const after = await Promise.all(commands.map((each) => coverOf(each, workspace)));

  expect(before.map((cover) => cover?.type)).toEqual(["programs", "exact", "exact"]);
  expect(after).toEqual([undefined, undefined, undefined]);
});

test.each([
  ["no PATH", () => ({})],
  ["an empty entry in PATH", () => ({ PATH: "/usr/bin::/bin" })],
  ["a relative entry in PATH", () => ({ PATH: ".:/usr/bin" })],
  ["a PATH entry inside the workspace", ({ root }: Workspace) => ({ PATH: `/bin:${root}/bin` })],
  [
    "a PATH entry that links into the workspace",
    ({ root }: Workspace) => ({ PATH: `${root}-link:/bin` }),
  ],
  ["a function of bash", () => ({ PATH: "/bin", "BASH_FUNC_ls%%": "() { :; }" })],
  ["a start-up file of bash", () => ({ PATH: "/bin", BASH_ENV: "x" })],
  ["CDPATH", () => ({ PATH: "/bin", CDPATH: "/" })],
])(
  'in an environment with %s, "always" allows only the exact command [SEC-07]',
  async (_, environmentOf) => {
    await using workspace = await openStage();
    const link = `${workspace.root}-link`;
    await symlink(workspace.root, link);

    const cover = await coverOf("ls sub", workspace, { environment: environmentOf(workspace) });

    await rm(link);
    expect(cover).toEqual({ type: "exact" });
  },
);

test('"always" allows only the exact command outside the workspace, below .git and on Windows [SEC-07]', async () => {
  await using workspace = await openStage();
  await using outside = await openTempWorkspace();
  const git = path.join(workspace.root, ".git");

  expect(await coverOf("pwd", workspace, { directory: outside.root })).toEqual({ type: "exact" });
  expect(await coverOf("pwd", workspace, { directory: git })).toEqual({ type: "exact" });
  expect(await coverOf("pwd", workspace, { platform: "win32" })).toEqual({ type: "exact" });
});

async function openStage() {
  const workspace = await openTempWorkspace();
  const at = (name: string) => path.join(workspace.root, name);
  await mkdir(at("sub"));
  await mkdir(at(".git/hooks"), { recursive: true });
  await writeFile(at("a.txt"), "");
  await symlink("/etc", at("link"));
  await symlink("/etc/hostname", at("linkfile"));
  await symlink("sub", at("inner"));
  await symlink(".git/hooks", at("hooks"));
  await symlink("/proc/self", at("self"));
  return workspace;
}

async function coverOf(command: string, workspace: Workspace, other: Partial<ShellContext> = {}) {
  return await findShellCover(command, {
    directory: workspace.root,
    workspace,
    environment: { PATH: "/usr/bin:/bin" },
    platform: "linux",
    parts: await parseShellCommand(command),
    ...other,
  });
}
