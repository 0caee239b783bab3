import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { openWsClient } from "./ws-client.js";

const script = path.resolve(import.meta.dirname, "support/live-script.mjs");

interface LiveOptions {
  readonly directory: string;
  readonly workspacePath: string;
  readonly contextId?: string;
}

function startLive(options: LiveOptions): ChildProcess {
  return spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Starts a live session in a process and waits until clients can join it. */
async function openLive(options: LiveOptions) {
  const child = startLive(options);
  const exited = once(child, "exit");
  const stderr = text(child.stderr!);
  const output = await Promise.race([
    once(child.stdout!, "data"),
    exited.then(async () => {
      throw new Error(await stderr);
    }),
  ]);
  const { url, contextId } = JSON.parse(String(output[0])) as { url: string; contextId: string };
  async function kill(): Promise<void> {
    child.kill("SIGKILL");
    await exited;
  }
  return {
    contextId,
    wsUrl: `${url.replace("http", "ws")}ws`,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

const send = (content: object) => ({
  jsonrpc: "2.0",
  method: "message/stream",
  params: { message: { content } },
});
const confirm = (tool_call_id: string, selected_option_id: string) =>
  send({ data: { kind: "TOOL_CALL_CONFIRMATION", tool_call_id, selected_option_id } });

test("after a resume, the question of a killed terminal is asked again, and its tool runs once [LOG-01, LOG-03, CLI-17]", async () => {
  await using data = await openDataDir();
  await using workspace = await openTempWorkspace();
  const options = { directory: data.directory, workspacePath: workspace.root };
  const first = await openLive(options);
  const before = await openWsClient(first.wsUrl, { protocol: "" });
  before.send(send({ text: "say hello then run echo ran >> ran.txt then say done" }));
  const { tool_call_id } = await before.until((frame) => frame.status === "PENDING");
  await first.kill();
  await before.closed;

  await using second = await openLive({ ...options, contextId: first.contextId });
  using after = await openWsClient(second.wsUrl, { protocol: "" });
  await after.until((frame) => frame.tool_call_id === tool_call_id);
  const joined = [...after.frames];
  after.send(confirm(tool_call_id, "proceed_once"));
  after.send(confirm(tool_call_id, "cancel"));
  const late = await after.until((frame) => frame.error !== undefined);
  await after.until((frame) => frame.content?.text === "done" && !frame.role);

  expect(joined).toEqual(before.frames);
  expect(late.error.message).toContain("already answered by local with proceed_once");
  expect(await workspace.read("ran.txt")).toBe("ran\n");
});

test("a session can be open in only one terminal; when that one is killed, another can open it", async () => {
  await using data = await openDataDir();
  await using workspace = await openTempWorkspace();
  const options = { directory: data.directory, workspacePath: workspace.root };
  const first = await openLive(options);
  using client = await openWsClient(first.wsUrl, { protocol: "" });
  client.send(send({ text: "say hello" }));
  await client.until((frame) => frame.content?.text === "hello");

  const refused = startLive({ ...options, contextId: first.contextId });
  const complaint = await text(refused.stderr!);
  await using other = await openLive(options);
  await first.kill();
  await using again = await openLive({ ...options, contextId: first.contextId });

  expect(complaint).toBe(
    `the session ${first.contextId} is open in another process; close it there first\n`,
  );
  expect(refused.exitCode ?? (await once(refused, "exit"))[0]).toBe(2);
  expect(other.contextId).not.toBe(first.contextId);
  expect(again.contextId).toBe(first.contextId);
});
