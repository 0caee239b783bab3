import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { listProcesses } from "./process-table.js";
import { type ProcessOptions, runProcess } from "./run-process.js";

const environment = { PATH: "/usr/local/bin:/usr/bin:/bin" };

/** Runs a script with sh in a temporary directory. `onText` is called with all output so far. */
async function runScript(
  script: string,
  options: Partial<ProcessOptions> & { onText?: (text: string) => "stop" | undefined } = {},
) {
  await using workspace = await openTempWorkspace();
  let text = "";
  const end = await runProcess({
    file: "/bin/sh",
    args: ["-c", script],
    directory: workspace.root,
    environment,
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    async onOutput(chunk) {
      text += chunk.toString("utf8");
      return options.onText?.(text);
    },
    ...options,
  });
  return { ...end, text };
}

const isRunning = async (pid: number) => (await listProcesses()).some((entry) => entry.pid === pid);

function abortOn(pattern: RegExp) {
  const controller = new AbortController();
  const onText = (text: string) => {
    if (pattern.test(text)) controller.abort();
    return undefined;
  };
  return { signal: controller.signal, onText };
}

test("a process runs to its end and returns its output and exit code", async () => {
  const end = await runScript("echo out; echo err >&2; exit 3");

  expect(end).toMatchObject({ reason: "exited", exitCode: 3, leftBehind: [], survivors: [] });
  expect(end.text.split("\n").sort()).toEqual(["", "err", "out"]);
});

test("runProcess returns the signal that ended the process", async () => {
  const end = await runScript("kill -SEGV $$");

  expect(end).toMatchObject({ reason: "exited", exitCode: undefined, endedBy: "SIGSEGV" });
});

test("a process gets only the given environment [SEC-05]", async () => {
  process.env.DT_TEST_API_KEY = "secret-value";
  const { text } = await runScript("env");
  delete process.env.DT_TEST_API_KEY;

  expect(text).toContain(`PATH=${environment.PATH}`);
  expect(text).not.toContain("secret-value");
  expect(text).not.toContain("HOME=");
});

test("the input of a process is empty, so a process that reads its input ends", async () => {
  const end = await runScript("read answer || echo nobody");

  expect(end).toMatchObject({ exitCode: 0, text: "nobody\n" });
});

const descendants = [
  ["a plain child", "sleep 1000 & echo pid $!; wait"],
  ["a grandchild whose parent has ended", "(sleep 1000 & echo pid $!); echo; sleep 1000"],
  ["a child that left the group", `setsid sh -c 'echo pid $$; exec sleep 1000' & wait`],
  [
    "a child that left the group and whose parent has ended",
    `setsid --fork sh -c 'echo pid $$; exec sleep 1000'; sleep 1000`,
  ],
  [
    "a child that ignores SIGTERM and left the group",
    `setsid --fork sh -c 'trap "" TERM HUP INT; echo pid $$; while :; do sleep 0.1; done'; sleep 1000`,
  ],
  ["a stopped child", `sh -c 'echo pid $$; kill -STOP $$; sleep 1000' & wait`],
  [
    "a child that cleared its environment and whose parent runs",
    `env -i /usr/bin/setsid /bin/sh -c 'echo pid $$; exec /bin/sleep 1000' & wait`,
  ],
] as const;

test.each(descendants)("after an abort, runProcess ends %s", async (_name, script) => {
  const end = await runScript(script, abortOn(/pid \d+\n/));

  expect(end).toMatchObject({ reason: "aborted", survivors: [] });
  expect(await isRunning(Number(/pid (\d+)/.exec(end.text)?.[1]))).toBe(false);
});

test("a descendant that starts while the process tree is being ended is ended too", async () => {
  const script = `trap 'setsid --fork sh -c "echo last \\$\\$; exec sleep 1000"; exit' TERM; echo pid $$; while :; do sleep 0.05; done`;

  const end = await runScript(script, abortOn(/pid \d+\n/));

  expect(end.survivors).toEqual([]);
  expect(await isRunning(Number(/last (\d+)/.exec(end.text)?.[1]))).toBe(false);
});

test("a process is not started if its signal is already aborted", async () => {
  await using workspace = await openTempWorkspace();

  const end = await runScript(`touch ${workspace.root}/made`, { signal: AbortSignal.abort() });

  expect(end.reason).toBe("aborted");
  await expect(readFile(path.join(workspace.root, "made"))).rejects.toThrow("ENOENT");
});

test("a process that exceeds its timeout is ended", async () => {
  const end = await runScript("echo pid $$; sleep 1000", { timeoutMs: 3_000 });

  expect(end).toMatchObject({ reason: "timed-out", survivors: [] });
  expect(await isRunning(Number(/pid (\d+)/.exec(end.text)?.[1]))).toBe(false);
});

test("runProcess ends descendants that the process leaves running and returns their names", async () => {
  const end = await runScript("setsid --fork sleep 1000 >/dev/null 2>&1; echo done");

  expect(end).toMatchObject({ reason: "exited", exitCode: 0, text: "done\n", survivors: [] });
  expect(end.leftBehind).toEqual([expect.stringMatching(/^sleep \(\d+\)$/)]);
});

test("runProcess ends a detached descendant that cleared its environment", async () => {
  const end = await runScript("(setsid env -i sleep 1000 >/dev/null 2>&1 &)");

  expect(end).toMatchObject({ reason: "exited", exitCode: 0, survivors: [] });
  expect(end.leftBehind).toEqual([expect.stringMatching(/^sleep \(\d+\)$/)]);
});

test("a descendant that was seen once is ended even if it drops its marks", async () => {
  const hide = "sleep 0.5; exec 97>&-; exec env -i sleep 1000";

  const end = await runScript(`(setsid bash -c '${hide}' >/dev/null 2>&1 &); sleep 1`);

  expect(end).toMatchObject({ reason: "exited", exitCode: 0, survivors: [] });
  expect(end.leftBehind).toEqual([expect.stringMatching(/^sleep \(\d+\)$/)]);
});

test("a process inherits no file descriptors from 3 to 9", async () => {
  const { text } = await runScript(
    "for fd in 0 1 2 3 4 5 6 7 8 9; do [ -e /dev/fd/$fd ] && echo $fd; done",
  );

  expect(text).toBe("0\n1\n2\n");
});

test("a descendant that ends soon after the process does not count as left behind", async () => {
  const end = await runScript("(sleep 0.1; echo late) & echo early");

  expect(end).toMatchObject({ leftBehind: [], text: "early\nlate\n" });
});

test("a process is ended when onOutput resolves with stop", async () => {
  const end = await runScript("yes", {
    onText: (text) => (text.length > 1000 ? "stop" : undefined),
  });

  expect(end).toMatchObject({ reason: "stopped", survivors: [] });
});

test("a process waits while onOutput handles its output", async () => {
  let receivedBytes = 0;
  let maxPending = 0;
  let pending = 0;
  await runScript("head -c 3000000 /dev/zero", {
    async onOutput(chunk) {
      pending += 1;
      maxPending = Math.max(maxPending, pending);
      await new Promise((resolve) => setImmediate(resolve));
      receivedBytes += chunk.length;
      pending -= 1;
      return undefined;
    },
  });

  expect({ receivedBytes, maxPending }).toEqual({ receivedBytes: 3_000_000, maxPending: 1 });
});

test("an error of onOutput ends the process and is rethrown", async () => {
  const failing = async () => {
    throw new Error("no room");
  };

  await expect(runScript("yes", { onOutput: failing })).rejects.toThrow("no room");
});

test("the error for a missing program contains its path", async () => {
  await expect(runScript("", { file: "/no/such/program" })).rejects.toMatchObject({
    type: "not_started",
    message: "/no/such/program could not be started: ENOENT",
  });
});

test("if a command line is too long, the error says so", async () => {
  await expect(runScript(`: ${"x".repeat(3_000_000)}`)).rejects.toMatchObject({
    type: "not_started",
    message: expect.stringContaining("too long"),
  });
});
