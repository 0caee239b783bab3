import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { SandboxSettings } from "../settings/sandbox/sandbox-settings.js";
import { SettingsError } from "../settings/settings-error.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { createBuiltinTools } from "../tools/builtin/builtin-tools.js";
import { tryTool } from "../tools/testing/try-tool.js";
import type { Isolation, Sandbox } from "../workspace/processes/sandbox.js";
import { checkSandbox } from "./check-sandbox.js";
import { writeFakeBwrap } from "./fake-bwrap.test-support.js";
import { openSandbox } from "./open-sandbox.js";

const BWRAP: SandboxSettings = { program: "bwrap" };

async function openStage() {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  const bin = await openTempWorkspace();
  const environment = { PATH: await writeFakeBwrap(bin.root) };
  const open = (
    settings: SandboxSettings | undefined,
    more: { home?: string; PATH?: string } = {},
  ) =>
    openSandbox({
      settings,
      environment: { ...environment, ...(more.PATH !== undefined && { PATH: more.PATH }) },
      home: more.home ?? home.root,
      workspace,
      temporaryDirectory: path.join(home.root, "data", "tmp"),
      agentDirectories: [path.join(home.root, "data")],
    });
  const shellIn = (sandbox: Sandbox | undefined) => {
    const outputDirectory = path.join(home.root, "output");
    const tools = createBuiltinTools({ environment, outputDirectory, memoryFile: "", sandbox });
    return tools.find(({ name }) => name === "run_shell_command")!;
  };
  return {
    workspace,
    home,
    bin,
    environment,
    open,
    shellIn,
    async [Symbol.asyncDispose]() {
      for (const each of [workspace, home, bin]) await each[Symbol.asyncDispose]();
    },
  };
}

const problemOf = async (opening: Promise<unknown>): Promise<string> => {
  const reason = await opening.catch((error: unknown) => error);
  expect(reason).toBeInstanceOf(SettingsError);
  return (reason as SettingsError).message;
};

test("without the setting there is no sandbox", async () => {
  await using stage = await openStage();

  expect(await stage.open(undefined)).toBeUndefined();
  expect(await stage.open({ program: "none", network: "on" })).toBeUndefined();
});

test("a command runs under bubblewrap, and its question says so [SEC-04]", async () => {
  await using stage = await openStage();
  const sandbox = await stage.open(BWRAP);

  const input = { command: "echo sandbox: $FAKE_SANDBOX; pwd" };
  const { plan, text } = await tryTool(stage.shellIn(sandbox), input, stage);

  expect(text).toBe(`sandbox: yes\n${stage.workspace.root}\nexit code: 0`);
  expect(plan.note).toBe("Runs in a sandbox without network.");
  expect(plan.actions).toMatchObject([{ isolation: "offline" }]);
});

test("the question says whether a sandbox has network access", async () => {
  await using stage = await openStage();
  const sandbox = await stage.open({ ...BWRAP, network: "on" });

  const { plan } = await tryTool(stage.shellIn(sandbox), { command: "true" }, stage);

  expect(plan.note).toBe("Runs in a sandbox that has the network.");
});

const CHANGES: readonly (readonly [Isolation | undefined, Isolation | undefined, boolean])[] = [
  ["offline", undefined, false],
  ["offline", "online", false],
  ["online", undefined, false],
  ["offline", "offline", true],
  ["online", "offline", true],
  [undefined, "offline", true],
];

test.each(CHANGES)(
  "if a command was approved with the isolation %s, it may run with the isolation %s: %s [SEC-07]",
  async (approved, current, runs) => {
    await using stage = await openStage();
    const open = (isolation: Isolation | undefined) =>
      isolation === undefined
        ? undefined
        : stage.open({ ...BWRAP, network: isolation === "online" ? "on" : "off" });
    const input = { command: "touch made" };
    const { workspace } = stage;
    const plan = await stage.shellIn(await open(approved)).plan(input, workspace);

    const tool = stage.shellIn(await open(current));
    const running = tryTool(tool, input, { workspace, shown: plan.details, planned: plan.actions });
    const result = await running.then(
      () => "ran",
      ({ type }: { readonly type: string }) => type,
    );

    expect(result).toBe(runs ? "ran" : "sandbox_changed");
    const made = await workspace.read("made").catch(() => undefined);
    expect(made).toBe(runs ? "" : undefined);
  },
);

test("the home, the agent's data and files with keys are hidden [SEC-05]", async () => {
  await using stage = await openStage();
  const key = path.join(stage.bin.root, "key");
  await writeFile(key, "secret");
  const sandbox = await openSandbox({
    settings: { ...BWRAP, readable: ["~/.gitconfig", "~/missing"] },
    environment: { ...stage.environment, GEMINI_API_KEY_FILE: key },
    home: stage.home.root,
    workspace: stage.workspace,
    temporaryDirectory: path.join(stage.home.root, "data", "tmp"),
    agentDirectories: [path.join(stage.home.root, "data"), path.join(stage.home.root, "none")],
  });
  await writeFile(path.join(stage.home.root, ".gitconfig"), "");
  await mkdir(path.join(stage.home.root, ".config", "dt"), { recursive: true });

  const directory = stage.workspace.root;
  const wrapped = await sandbox?.wrap({ file: "true", args: [], directory });
  const text = wrapped?.args.join(" ") ?? "";

  expect(text).toContain(`--tmpfs ${stage.home.root} `);
  expect(text).toContain(`--tmpfs ${stage.home.root}/data `);
  expect(text).toContain(`--tmpfs ${stage.home.root}/.config/dt `);
  expect(text).toContain(`--ro-bind /dev/null ${key} `);
  expect(text).not.toContain(`${stage.home.root}/none`);
});

test("settings, hooks and the configuration of git are read-only in the workspace [SEC-08]", async () => {
  await using stage = await openStage();
  const { root } = stage.workspace;
  for (const directory of [".git/hooks", ".dt", "src"]) {
    await mkdir(path.join(root, directory), { recursive: true });
  }
  for (const file of [".git/config", ".envrc", "a.txt"]) await writeFile(path.join(root, file), "");
  const sandbox = await stage.open({ ...BWRAP, writable: [".git/config"] });

  const { args } = (await sandbox?.wrap({ file: "true", args: [], directory: root }))!;
  const readOnly = args.filter(
    (target, at) => args[at - 2] === "--ro-bind" && target.startsWith(`${root}/`),
  );

  expect(readOnly.toSorted()).toEqual(
    [".dt", ".envrc", ".git/config", ".git/hooks"].map((name) => path.join(root, name)),
  );
  expect(args).toContain(path.join(root, ".git"));
  expect(args.join(" ").lastIndexOf("--bind-try")).toBeGreaterThan(
    args.join(" ").lastIndexOf("--ro-bind"),
  );
});

test("if bubblewrap is not installed, the error names the fix [SEC-04]", async () => {
  await using stage = await openStage();

  const problem = await problemOf(stage.open(BWRAP, { PATH: stage.home.root }));

  expect(problem).toBe(
    "DT_SANDBOX: bwrap is not installed; install the package bubblewrap, or set DT_SANDBOX=none",
  );
});

test("a bubblewrap inside the workspace is not used [SEC-07]", async () => {
  await using stage = await openStage();
  const bin = path.join(stage.workspace.root, "bin");
  await writeFakeBwrap(bin);

  expect(await problemOf(stage.open(BWRAP, { PATH: bin }))).toContain("bwrap is not installed");
});

test("if bubblewrap does not work, the error says why and names the fix", async () => {
  await using stage = await openStage();
  const PATH = await writeFakeBwrap(path.join(stage.bin.root, "failing"), { isFailing: true });

  expect(await problemOf(stage.open(BWRAP, { PATH }))).toBe(
    "DT_SANDBOX: bwrap does not work on this system (bwrap: setting up uid map: Permission denied); allow user namespaces, or set DT_SANDBOX=none",
  );
});

test("a workspace that contains the home directory is refused", async () => {
  await using stage = await openStage();
  const home = path.join(stage.workspace.root, "ada");
  await mkdir(home);

  for (const inside of [home, stage.workspace.root]) {
    expect(await problemOf(stage.open(BWRAP, { home: inside }))).toContain(
      "the sandbox hides the home directory, which is in the workspace",
    );
  }
});

test("the check before a start finds the setting in variables, files and defaults", async () => {
  await using stage = await openStage();
  const home = stage.home.root;
  const environment = { PATH: stage.workspace.root };
  const check = async (more: object) => await checkSandbox({ home, environment, ...more });
  const defaultsFile = path.join(stage.bin.root, "defaults.yaml");
  await writeFile(defaultsFile, "sandbox: { program: bwrap }");

  await expect(check({})).resolves.toBeUndefined();
  await expect(check({ defaultsFile })).rejects.toThrow("bwrap is not installed");
  await expect(check({ environment: { ...environment, DT_SANDBOX: "bwrap" } })).rejects.toThrow(
    "bwrap is not installed",
  );
  await expect(check({ environment: { DT_SANDBOX: "docker" } })).rejects.toThrow(
    "DT_SANDBOX: must be one of none, bwrap",
  );
});
