import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../../testing/temp-workspace.js";
import { cleanEnvironment } from "../../../workspace/processes/clean-environment.js";
import { NO_AGENT_CALLS } from "../../agent-calls.js";
import { findShell } from "./find-shell.js";
import { createRunShellCommand } from "./run-shell-command.js";

const systemPath = "/usr/bin:/bin";

/** A workspace with a `bash` that must not run; running it creates a file outside the workspace. */
async function openStage() {
  const workspace = await openTempWorkspace();
  const outside = await mkdtemp(path.join(tmpdir(), "dt-shell-"));
  const bin = path.join(workspace.root, "bin");
  await mkdir(bin);
  const planted = [path.join(workspace.root, "bash"), path.join(bin, "bash")];
  for (const file of planted) {
    await writeFile(file, `#!/bin/sh\necho planted > ${path.join(outside, "planted")}\n`);
    await chmod(file, 0o755);
  }
  await symlink(bin, path.join(outside, "link-to-bin"));
  await mkdir(path.join(outside, "own"));
  await symlink(path.join(bin, "bash"), path.join(outside, "own", "bash"));
  return {
    workspace,
    outside,
    bin,
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await rm(outside, { recursive: true, force: true });
    },
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

const paths: [string, (stage: Stage) => string][] = [
  ["a relative entry", () => `.:bin:${systemPath}`],
  ["an empty entry", () => `:${systemPath}:`],
  ["no entry", () => ""],
  ["an entry inside the workspace", ({ bin }) => `${bin}:${systemPath}`],
  ["a link into the workspace", ({ outside }) => `${outside}/link-to-bin:${systemPath}`],
  ["a bash that links into the workspace", ({ outside }) => `${outside}/own:${systemPath}`],
];

test.each(paths)(
  "if PATH contains %s, a bash inside the workspace is not used [SEC-07]",
  async (_, pathOf) => {
    await using stage = await openStage();
    const environment = cleanEnvironment({ ...process.env, PATH: pathOf(stage) });
    const tool = createRunShellCommand({
      environment,
      outputDirectory: path.join(stage.outside, "output"),
      onOutputFile: () => undefined,
    });

    const input = { command: 'test -n "$BASH_VERSION" && echo "run by $0"' };
    const { actions, details } = await tool.plan(input, stage.workspace);

    const { result } = await tool.run(input, {
      toolCallId: "1",
      workspace: stage.workspace,
      signal: AbortSignal.timeout(20_000),
      shown: details,
      planned: actions,
      print: () => undefined,
      writeTodos: () => undefined,
      ask: async () => ({ isGranted: false }),
      agentCalls: NO_AGENT_CALLS,
    });

    expect(result).toMatchObject({ value: expect.stringContaining("run by bash") });
    await expect(readFile(path.join(stage.outside, "planted"))).rejects.toThrow("ENOENT");
  },
);

test("the first bash in PATH outside the workspace is used", async () => {
  await using stage = await openStage();
  const own = path.join(stage.outside, "better");
  await mkdir(own);
  await writeFile(path.join(own, "bash"), "#!/bin/sh\n");
  await chmod(path.join(own, "bash"), 0o755);
  const environment = { PATH: `${stage.bin}:${own}:${systemPath}` };

  expect(await findShell(environment, stage.workspace)).toBe(path.join(own, "bash"));
});

test("a file that is not executable is not used as a shell", async () => {
  await using stage = await openStage();
  await writeFile(path.join(stage.outside, "bash"), "");
  await mkdir(path.join(stage.outside, "deep", "bash"), { recursive: true });
  const environment = { PATH: `${stage.outside}:${stage.outside}/deep:${systemPath}` };

  expect(await findShell(environment, stage.workspace)).toMatch(/^\/(usr\/)?bin\/bash$/);
});
