import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../../testing/temp-workspace.js";
import { listProcesses } from "../../../workspace/processes/process-table.js";
import { type TryToolOptions, tryTool } from "../../testing/try-tool.js";
import type { ToolInput } from "../../tool.js";
import { createBuiltinTools } from "../builtin-tools.js";

async function openStage() {
  const workspace = await openTempWorkspace();
  const elsewhere = await openTempWorkspace();
  const outputDirectory = path.join(elsewhere.root, "output");
  const tools = createBuiltinTools({
    environment: { ...process.env, TEST_API_KEY: "secret-value" },
    outputDirectory,
    memoryFile: path.join(elsewhere.root, "memory.md"),
  });
  const use = (name: string, input: ToolInput, options: Partial<TryToolOptions> = {}) =>
    tryTool(tools.find((tool) => tool.name === name)!, input, { workspace, ...options });
  return {
    workspace,
    outputDirectory,
    use,
    run: (command: string, options: Partial<TryToolOptions> & { input?: ToolInput } = {}) =>
      use("run_shell_command", { command, ...options.input }, options),
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await elsewhere[Symbol.asyncDispose]();
    },
  };
}

const isRunning = async (pid: number) => (await listProcesses()).some((entry) => entry.pid === pid);

test("a command returns stdout and stderr in order, and its exit code", async () => {
  await using stage = await openStage();

  const { text } = await stage.run("echo one; echo two >&2; echo three; exit 3");

  expect(text).toBe("one\ntwo\nthree\nexit code: 3");
});

test("the plan of a command has its parts, and the question shows its directory", async () => {
  await using stage = await openStage();
  await mkdir(path.join(stage.workspace.root, "sub"));
  const directory = path.join(stage.workspace.root, "sub");

  const { plan, text } = await stage.run("pwd && ls", {
    input: { directory: "sub", description: "Look around" },
  });

  expect(text).toBe(`${directory}\nexit code: 0`);
  expect(plan).toMatchObject({
    description: "Look around: pwd && ls in sub",
    actions: [
      {
        type: "execute",
        command: "pwd && ls",
        directory,
        parts: [{ program: "pwd" }, { program: "ls" }],
      },
    ],
    details: {
      $case: "executeDetails",
      value: { command: "pwd && ls", workingDirectory: directory },
    },
  });
});

test("a command does not get secrets from the agent's environment [SEC-05]", async () => {
  await using stage = await openStage();

  const { text } = await stage.run("env");

  expect(text).toContain("TERM=dumb");
  expect(text).not.toContain("secret-value");
});

test("a command without output returns the text (no output) and its exit code", async () => {
  await using stage = await openStage();

  expect((await stage.run("true")).text).toBe("(no output)\nexit code: 0");
});

test("live output is shown without control sequences while the command runs [RFC-12]", async () => {
  await using stage = await openStage();
  const fifo = path.join(stage.workspace.root, "go");
  const printed: string[] = [];

  // The command ends only because its live output triggers the write to the pipe.
  const { text } = await stage.run(
    `mkfifo go; printf '\\033[31m10%%\\r99%%'; cat go; echo; echo end`,
    {
      print(liveContent) {
        printed.push(liveContent);
        if (printed.length === 1) void writeFile(fifo, "");
      },
    },
  );

  expect(printed[0]).toBe("99%");
  expect(text).toBe("99%\nend\nexit code: 0");
});

test("5 MB of output cost at most 1.2 MB of events and are stored in a readable file [RFC-12] [RFC-13]", async () => {
  await using stage = await openStage();
  const command = "seq -f 'line %g of the output of a long build' 1 200000 | head -c 5000000";

  const { text, printed } = await stage.run(command);

  const overheadBytes = 1_500;
  const cost = [...printed, text].reduce(
    (sum, content) => sum + Buffer.byteLength(JSON.stringify(content)) + overheadBytes,
    0,
  );
  expect(cost).toBeLessThan(1_200_000);
  expect(Buffer.byteLength(text)).toBeLessThan(33_000);
  expect(text.startsWith("line 1 of the output")).toBe(true);
  expect(text.endsWith("\nexit code: 0")).toBe(true);
  const file = /the complete output is in (\S+);/.exec(text)?.[1] ?? "";
  expect(path.dirname(file)).toBe(stage.outputDirectory);
  expect((await stat(file)).size).toBe(5_000_000);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const page = await stage.use("read_file", { file_path: file, offset: 100_000, limit: 1 });
  expect(page.text).toMatch(/^line 100000 of the output/);
  expect(page.plan.actions).toEqual([{ type: "read", path: file, isInside: true }]);
});

test("64 MB of output do not accumulate in memory", async () => {
  await using stage = await openStage();
  const before = process.memoryUsage().rss;

  const { text } = await stage.run("head -c 64000000 /dev/zero | tr '\\0' 'x'");

  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  expect(Buffer.byteLength(text)).toBeLessThan(33_000);
});

test("a long progress bar with a short final text leaves no output file", async () => {
  await using stage = await openStage();

  const { text } = await stage.run(
    "for i in $(seq 1 9999); do printf '%s%%\\r' $i; done; echo done!",
  );

  expect(text).toBe("done!\nexit code: 0");
  expect(await readdir(stage.outputDirectory)).toEqual([]);
});

test("a command with endless output is ended and fails", async () => {
  await using stage = await openStage();

  const running = stage.run("echo pid $$ > pid; exec cat /dev/zero");

  await expect(running).rejects.toMatchObject({
    type: "too_much_output",
    message: expect.stringContaining("more than 256000000 bytes and was ended"),
  });
  expect(await isRunning(Number((await stage.workspace.read("pid")).slice(4)))).toBe(false);
});

test("a command that times out fails with its output so far", async () => {
  await using stage = await openStage();

  const running = stage.run("echo begun; sleep 1000", { input: { timeout_ms: 300 } });

  await expect(running).rejects.toMatchObject({
    type: "timed_out",
    message: expect.stringMatching(/longer than 300 ms.*timeout_ms\n\nbegun\n$/s),
  });
});

test("a command that leaves processes running fails, and those processes are ended", async () => {
  await using stage = await openStage();

  const running = stage.run("setsid sleep 1000 > /dev/null 2>&1 & echo $! > pid; echo started");

  await expect(running).rejects.toMatchObject({
    type: "left_processes",
    message: expect.stringMatching(
      /left processes running, which were ended: sleep \(\d+\).*started/s,
    ),
  });
  expect(await isRunning(Number(await stage.workspace.read("pid")))).toBe(false);
});

test("a cancel ends the command and all of its descendants", async () => {
  await using stage = await openStage();
  const controller = new AbortController();

  const running = stage.run(
    `setsid --fork sh -c 'trap "" TERM; echo $$ > pid; echo ready; while :; do sleep 0.1; done'; sleep 1000`,
    { signal: controller.signal, print: () => controller.abort() },
  );

  await expect(running).rejects.toMatchObject({ type: "cancelled" });
  expect(await isRunning(Number(await stage.workspace.read("pid")))).toBe(false);
});

test("a command fails with its output if the output cannot be stored", async () => {
  await using stage = await openStage();
  // A file has the name of the output directory, so that no output file can be created.
  await writeFile(stage.outputDirectory, "");

  const running = stage.run("seq 1 100000");

  await expect(running).rejects.toMatchObject({
    type: "output_lost",
    message: expect.stringMatching(
      /exit code 0, but its complete output could not be stored.*100000\n$/s,
    ),
  });
});

test.each([
  ["nowhere", "not_found"],
  ["file", "not_a_directory"],
])("the working directory %s is refused with %s", async (directory, type) => {
  await using stage = await openStage();
  await writeFile(path.join(stage.workspace.root, "file"), "");

  await expect(stage.run("ls", { input: { directory } })).rejects.toMatchObject({ type });
});

test("a command that was approved in another process is not run", async () => {
  await using stage = await openStage();

  const running = stage.run("touch made", { planned: undefined });

  await expect(running).rejects.toMatchObject({ type: "approval_lost" });
  expect(await readdir(stage.workspace.root)).toEqual([]);
});

test("a command is not run if its directory is a link that has changed since the question", async () => {
  await using stage = await openStage();
  await mkdir(path.join(stage.workspace.root, "one"));
  await symlink("one", path.join(stage.workspace.root, "sub"));
  await mkdir(path.join(stage.workspace.root, "two"));

  const running = stage.run("touch made", {
    input: { directory: "sub" },
    async meanwhile() {
      await rm(path.join(stage.workspace.root, "sub"));
      await symlink("two", path.join(stage.workspace.root, "sub"));
    },
  });

  await expect(running).rejects.toMatchObject({ type: "file_changed" });
  expect(await readdir(path.join(stage.workspace.root, "two"))).toEqual([]);
});

test('a command that "always" allows is not run if its directory became a link [SEC-07]', async () => {
  await using stage = await openStage();
  await using outside = await openTempWorkspace();
  await mkdir(path.join(stage.workspace.root, "sub"));

  const running = stage.run("cd sub && touch made", {
    shown: undefined,
    async meanwhile() {
      await rm(path.join(stage.workspace.root, "sub"), { recursive: true });
      await symlink(outside.root, path.join(stage.workspace.root, "sub"));
    },
  });

  await expect(running).rejects.toMatchObject({ type: "file_changed" });
  expect(await readdir(outside.root)).toEqual([]);
});

test("a command may use bash syntax", async () => {
  await using stage = await openStage();

  expect((await stage.run("[[ a < b ]] && echo {1..3}")).text).toBe("1 2 3\nexit code: 0");
});

test("reading the output of another session's command needs a question", async () => {
  await using stage = await openStage();
  await using other = await openStage();
  const { text } = await stage.run("seq 1 100000");
  const file = /the complete output is in (\S+);/.exec(text)?.[1] ?? "";

  const { plan } = await other.use("read_file", { file_path: file, limit: 1 });

  expect(plan.actions).toEqual([{ type: "read", path: file, isInside: false }]);
  expect(await readFile(file, "utf8")).toContain("\n100000\n");
});
