import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { findFreePort, startServerProcess } from "./support/server-process.js";
import { watchTask } from "./support/watch-task.js";

/**
 * Shell commands that print "ready", wait at a named pipe, and then create a file. In `hidden`, the waiting
 * process has its own process group and an empty environment. In `orphaned`, the waiting process has killed
 * its parent.
 */
const COMMANDS = {
  plain: "mkfifo gate; echo ready; read x < gate; touch made.txt",
  hidden: "mkfifo gate; setsid env -i bash -c 'echo ready; read x < gate; touch made.txt' & wait",
  orphaned:
    "mkfifo gate; (setsid bash -c 'kill -9 $PPID; echo ready; read x < gate; touch made.txt' &); sleep 1000",
};

async function openSetup() {
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const temporary = path.join(data.directory, "tmp");
  const directory = path.join(workspace.root, "project");
  await mkdir(temporary);
  await mkdir(directory);
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
    TMPDIR: temporary,
  };
  return {
    directory,
    temporary,
    environment,
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

/** Starts and approves a command, and waits until it prints "ready". */
async function startCommand(url: string, directory: string, command: string) {
  const client = await connect(url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({ workspacePath: directory, prompt: `run ${command}` });
  const watched = watchTask(task);
  await task.answer({ toolCallId: await watched.question() }, "proceed_once");
  await watched.until(
    (event) =>
      event.kind === "TOOL_CALL_UPDATE" && event.toolCall.liveContent?.includes("ready") === true,
  );
  return { client, watched };
}

/** Returns true if a process reads from a named pipe. Otherwise a non-blocking open fails with ENXIO. */
async function hasReader(pipe: string): Promise<boolean> {
  try {
    await (await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return false;
    throw error;
  }
}

test("a restarted server ends commands that outlived kill -9 and reports them as failed [LOG-03]", async () => {
  await using setup = await openSetup();
  const { temporary, environment } = setup;
  await using first = await startServerProcess(environment);
  const started = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, command]) => {
      const directory = path.join(setup.directory, name);
      await mkdir(directory);
      return { directory, ...(await startCommand(first.url, directory, command)) };
    }),
  );

  await first.kill();
  // This file imitates a marker file that an earlier crash left behind. The restarted server must remove it.
  const leftover = `DT_PROCESS_${"0".repeat(32)}_${"0".repeat(8)}`;
  await writeFile(path.join(temporary, leftover), "");
  await using _second = await startServerProcess(environment);

  const message = expect.stringMatching(
    /^interrupted by a restart; its process(es)? .*\(\d+\) (was|were) still running and \2 ended$/,
  );
  for (const { directory, client, watched } of started) {
    await watched.done;
    const failed = watched.seen.flatMap((event) =>
      event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "FAILED"
        ? [event.toolCall.result?.value]
        : [],
    );
    expect(failed).toEqual([{ message, type: "interrupted" }]);
    expect(watched.seen.at(-1)).toMatchObject({ state: "failed", error: message });
    expect(await hasReader(path.join(directory, "gate"))).toBe(false);
    expect(await readdir(directory)).toEqual(["gate"]);
    client.close();
  }
  expect((await readdir(temporary)).filter((file) => file.startsWith("DT_"))).toEqual([]);
});

test("a restarted server ends a command even if its workspace was deleted", async () => {
  await using setup = await openSetup();
  const { directory, environment } = setup;
  const gate = path.join(setup.temporary, "gate");
  await using first = await startServerProcess(environment);
  const command = `mkfifo ${gate}; echo ready; read x < ${gate}`;
  const { client, watched } = await startCommand(first.url, directory, command);

  await first.kill();
  await rm(directory, { recursive: true });
  await using _second = await startServerProcess(environment);
  await watched.done;

  expect(watched.seen.at(-1)).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/^the session cannot continue/),
  });
  expect(await hasReader(gate)).toBe(false);
  client.close();
});

test("a command that ended while the server was down is not run again [LOG-03]", async () => {
  await using setup = await openSetup();
  const { directory, environment } = setup;
  await using first = await startServerProcess(environment);
  const command =
    "mkfifo gate; echo ready; read x < gate; echo ran >> log.txt; mkfifo done; read x < done";
  const { client, watched } = await startCommand(first.url, directory, command);

  await first.kill();
  await writeFile(path.join(directory, "gate"), "go\n");
  await expect.poll(() => readdir(directory)).toContain("done");
  await writeFile(path.join(directory, "done"), "go\n");
  await using _second = await startServerProcess(environment);
  await watched.done;

  expect(watched.seen.at(-1)).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/^interrupted by a restart/),
  });
  expect(await readFile(path.join(directory, "log.txt"), "utf8")).toBe("ran\n");
  client.close();
});
