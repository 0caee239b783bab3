import { spawn } from "node:child_process";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findShell } from "../../tools/builtin/shell/find-shell.js";
import { createRunShellCommand } from "../../tools/builtin/shell/run-shell-command.js";
import { shellInvocation } from "../../tools/builtin/shell/shell-invocation.js";
import { cleanEnvironment } from "../../workspace/processes/clean-environment.js";
import { openWorkspace } from "../../workspace/workspace.js";
import { decide } from "../permission-policy.js";
import { getAlwaysScopes, isRemembered } from "../remembered-answers.js";

const SECRET = "SECRET text of a file outside";

const files: Readonly<Record<string, string>> = {
  "outside/secret.txt": `${SECRET}\n`,
  "outside/target.txt": "target\n",
  "outside/package.json": '{ "scripts": { "test": "touch PWN" } }',
  "ws/a.txt": "alpha\nbeta\n",
  "ws/b.txt": "beta\ngamma\n",
  "ws/big.txt": "some line of text\n".repeat(4000),
  "ws/sub/c.txt": "gamma\n",
  "ws/two words/d.txt": "delta\n",
  "ws/bin/ls": "#!/bin/sh\n: > PWN\n",
  "ws/run.sh": "#!/bin/sh\ntouch PWN\n",
  "ws/run.mk": "pwn:\n\ttouch PWN\n",
  "ws/prog.awk": 'BEGIN { system("touch PWN") }\n',
  "ws/Makefile": "clean:\n\t$(RM) b.txt\n",
  "ws/package.json": '{ "scripts": { "test": "touch PWN" } }',
  "ws/project/package.json": '{ "scripts": { "test": "touch PWN" } }',
  "ws/.dt/config.yaml": "",
  "ws/.gemini/settings.json": "",
  "ws/.vscode/tasks.json": "",
  "ws/.git/config": "",
  "ws/.git/hooks/sample": "",
  "ws/bare/HEAD": "ref: refs/heads/main\n",
  "ws/bare/objects/.keep": "",
  "ws/bare/refs/.keep": "",
  "ws/bare/config":
    '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "touch PWN;"\n',
  "ws/repo/a.txt": "alpha\n",
  "ws/repo/.git/HEAD": "ref: refs/heads/main\n",
  "ws/repo/.git/objects/.keep": "",
  "ws/repo/.git/refs/.keep": "",
  "ws/repo/.git/config": "[core]\nrepositoryformatversion = 0\n[user]\nname = a\nemail = a@b.c\n",
  "ws/repo/.git/hooks/pre-commit": "#!/bin/sh\ntouch PWN\n",
};

const LINKS: Readonly<Record<string, string>> = {
  "ws/link": "../outside",
  "ws/linkfile": "../outside/secret.txt",
  "ws/chain": "linkfile",
  "ws/evil": "../outside/target.txt",
  "ws/sub/up": "../..",
  "ws/self": "/proc/self/cwd",
  "ws/hooks-link": ".git/hooks",
  "ws/project-link": "../outside",
  "ws/inner": "sub",
};

const PROGRAMS = ["ws/bin/ls", "ws/run.sh", "ws/repo/.git/hooks/pre-commit"];

/** The visible effects of a command. */
export interface Trace {
  /** Files that the command created, changed or removed. */
  readonly changed: readonly string[];
  readonly hasReadSecret: boolean;
}

/** A stage with the real policy and a real shell. */
export interface AttackStage extends AsyncDisposable {
  /** Root of the workspace in which the policy judges commands. */
  readonly root: string;
  /** Answers "always" to the question about a command; returns false if "always" was not offered. */
  allowAlways(command: string, directory?: string): Promise<boolean>;
  /** Returns true if the policy allows a command without a question. */
  isAllowed(command: string, directory?: string): Promise<boolean>;
  /** Runs commands as the tool does, each in a copy of the workspace. */
  run(commands: readonly string[]): Promise<ReadonlyMap<string, Trace>>;
  /** Runs commands, and returns those without a visible effect. */
  findInert(commands: readonly string[]): Promise<readonly string[]>;
}

/** Creates a workspace with links, repositories and programs, and a secret file outside the workspace. */
export async function openAttackStage(
  variables: Readonly<Record<string, string>> = {},
): Promise<AttackStage> {
  const scratch = await mkdtemp(path.join(tmpdir(), "dt-attacks-"));
  const template = path.join(scratch, "template");
  await build(template);
  const untouched = await readTree(template);
  const workspace = await openWorkspace(path.join(template, "ws"));
  const home = path.join(scratch, "home");
  await mkdir(home);
  const environment = { ...cleanEnvironment(process.env), HOME: home, ...variables };
  const shell = await findShell(environment, workspace);
  const tool = createRunShellCommand({
    environment,
    outputDirectory: path.join(scratch, "output"),
    onOutputFile: () => undefined,
  });
  const turn = { number: 1, principal: "ada" };
  const answers: { principal: string; turn: number; scope: string }[] = [];

  const actionsOf = async (command: string, directory = ".") =>
    (await tool.plan({ command, directory }, workspace)).actions;

  async function run(commands: readonly string[]): Promise<ReadonlyMap<string, Trace>> {
    const waiting = [...commands];
    const traces = new Map<string, Trace>();
    const work = async (_: unknown, index: number) => {
      const copy = path.join(scratch, `copy-${index}`);
      await cp(template, copy, { recursive: true, verbatimSymlinks: true });
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const output = await runShell(next, {
          shell,
          cwd: path.join(copy, "ws"),
          env: environment,
        });
        const changed = differences(untouched, await readTree(copy));
        traces.set(next, { changed, hasReadSecret: output.includes(SECRET) });
        if (changed.length > 0) await restoreFiles(changed, template, copy);
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    return traces;
  }

  return {
    root: workspace.root,
    async allowAlways(command, directory) {
      const scopes = getAlwaysScopes(await actionsOf(command, directory));
      for (const { scope } of scopes) answers.push({ principal: "ada", turn: 1, scope });
      return scopes.length > 0;
    },
    async isAllowed(command, directory) {
      const actions = await actionsOf(command, directory);
      const decision = decide({
        mode: "default",
        actions,
        isRemembered: (action) => isRemembered(answers, action, turn),
      });
      return decision.type === "allow";
    },
    run,
    async findInert(commands) {
      const traces = [...(await run(commands))];
      return traces.flatMap(([command, { changed, hasReadSecret }]) =>
        changed.length === 0 && !hasReadSecret ? [command] : [],
      );
    },
    async [Symbol.asyncDispose]() {
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

async function build(template: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(template, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const [name, target] of Object.entries(LINKS)) {
    await symlink(target, path.join(template, name));
  }
  for (const name of PROGRAMS) await chmod(path.join(template, name), 0o755);
}

/** Reads all files below a directory, and the targets of links. */
async function readTree(directory: string): Promise<ReadonlyMap<string, string>> {
  const tree = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(directory, file);
    if (entry.isSymbolicLink()) tree.set(name, `link to ${await readlink(file)}`);
    else tree.set(name, entry.isFile() ? await readFile(file, "latin1") : "directory");
  }
  return tree;
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

async function restoreFiles(
  names: readonly string[],
  template: string,
  copy: string,
): Promise<void> {
  for (const name of names) await rm(path.join(copy, name), { recursive: true, force: true });
  const options = { recursive: true, verbatimSymlinks: true };
  for (const name of names.toSorted()) {
    const original = await lstat(path.join(template, name)).catch(() => undefined);
    if (original) await cp(path.join(template, name), path.join(copy, name), options);
  }
}

function runShell(
  command: string,
  { shell, cwd, env }: { shell: string; cwd: string; env: Readonly<Record<string, string>> },
): Promise<string> {
  const { file, args } = shellInvocation(command, { platform: process.platform, shell });
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 300_000,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("latin1").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", reject).on("close", () => resolve(output));
  });
}
