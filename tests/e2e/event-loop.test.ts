import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createBuiltinTools } from "@dt/agent-core";
import { callTool, scriptedModel } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { promptOnce } from "./support/prompt-once.js";
import { watchHealth } from "./support/watch-health.js";

/** Longest allowed block of the event loop. Without our limits, each input would block it for seconds. */
const MAX_BLOCKED_MS = 2_000;

const tools = createBuiltinTools({
  environment: { PATH: process.env.PATH ?? "" },
  outputDirectory: tmpdir(),
  memoryFile: path.join(tmpdir(), "unwritten.md"),
  web: { isAllowed: () => true },
});

/** Builds a prompt that makes the offline model call a tool. */
const callOf = (tool: string, input: object) => `call ${tool} ${JSON.stringify(input)}`;

const shortLines = (letter: string) => `${letter}\n`.repeat(500_000);
const hostile = `${"*a".repeat(40)}*b`;
const overwrite = "x".repeat(16_000);

const prompts: readonly (readonly [name: string, prompt: string])[] = [
  ["a glob with nested repetitions", "glob (a+)+b"],
  ["a glob with many stars", `glob ${hostile}`],
  ["a search for nested repetitions", "search (a+)+$"],
  [
    "a search in the files of a glob with many stars",
    callOf("search_file_content", { pattern: "a", include: hostile }),
  ],
  [
    "an edit of a megabyte of short lines",
    callOf("write_file", { file_path: "lines.txt", content: shortLines("b") }),
  ],
  ["a program with 10 MB of output in one line", "run head -c 10000000 /dev/zero | tr '\\0' x"],
  [
    "a program that overwrites one line a million times",
    `run printf %s ${overwrite}; yes "$(printf '\\ry')" | head -c 3000000 | tr -d '\\n'`,
  ],
  [
    "a program with megabytes of colour codes in its output",
    "run yes \"$(printf '\\033[31m')\" | head -c 5000000 | tr -d '\\n'",
  ],
  ["a list of 20,000 files", "list many"],
  ["a glob that finds 20,000 files", "glob many/*"],
  ["a shell command with many brackets", `run : ${"$[".repeat(30_000)}`],
  ["a shell command with many braces", `run : ${"{a,".repeat(20_000)}`],
  ["a shell command with many substitutions", `run : ${"$(".repeat(20_000)}`],
  ["a shell command with many backquotes", `run : ${"`a".repeat(20_000)}`],
];

test.each(prompts)("the server answers other clients during %s [SEC-09]", async (_, prompt) => {
  await using stage = await openStage({
    tools,
    mode: "yolo",
    server: { maxBodyBytes: 16 * 1024 * 1024 },
  });
  const write = (name: string, text: string) =>
    writeFile(path.join(stage.workspace.root, name), text);
  await write("a.txt", `${"a".repeat(50_000)}\n`);
  await write("lines.txt", shortLines("a"));
  if (prompt.includes("many")) {
    await mkdir(path.join(stage.workspace.root, "many"));
    for (let at = 0; at < 20_000; at += 1) await write(`many/${at}.txt`, "");
  }

  const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
    promptOnce(stage, prompt),
  );

  expect(result).toEqual({ state: "completed", calls: ["SUCCEEDED"] });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
});

test("the server answers other clients while 32 shell commands run [SEC-09]", async () => {
  await using stage = await openStage({ tools, mode: "yolo" });
  const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
    Promise.all(Array.from({ length: 32 }, () => promptOnce(stage, "run sleep 1"))),
  );

  expect(result.map(({ state }) => state)).toEqual(Array(32).fill("completed"));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
});

test("the server answers other clients while it refuses a body of 4,000,000 brackets [SEC-09]", async () => {
  await using stage = await openStage();
  const headers = { "Content-Type": "application/json" };
  const body = "[".repeat(4_000_000);

  const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
    fetch(stage.url, { method: "POST", headers, body }),
  );

  expect(result.status).toBe(400);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
});

test("the server answers other clients while it refuses a message with 110,000 answers [SEC-09]", async () => {
  await using stage = await openStage();
  const answers = Array.from({ length: 110_000 }, (_, at) => ({
    kind: "data",
    data: { tool_call_id: `${at}`, selected_option_id: "c" },
  }));
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "say hi" });
  const message = { kind: "message", role: "user", messageId: "m", taskId: task.taskId };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "message/send",
    params: { message: { ...message, parts: answers, extensions: [DEVELOPMENT_TOOL_URI] } },
  });
  const headers = { "Content-Type": "application/json" };

  const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
    fetch(stage.url, { method: "POST", headers, body }),
  );

  expect(await result.json()).toMatchObject({
    error: { message: expect.stringContaining("none of the answers was accepted") },
  });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
});

test("the server answers other clients while it reads a page with 1,500,000 unclosed links [SEC-09]", async () => {
  const page = createServer((_request, response) =>
    response.setHeader("Content-Type", "text/html").end("<a>".repeat(1_500_000)),
  ).listen(0, "127.0.0.1");
  await once(page, "listening");
  const { port } = page.address() as AddressInfo;
  await using stage = await openStage({ tools, mode: "yolo" });

  const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
    promptOnce(stage, callOf("web_fetch", { url: `http://127.0.0.1:${port}/` })),
  );
  page.close();

  expect(result).toEqual({ state: "completed", calls: ["SUCCEEDED"] });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
});

const numbered = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, at) => [`key ${at}`, at]));

test.each([
  ["200 calls at once", Array(200).fill(callTool("read_file", { file_path: "none" }))],
  ["a call with 300,000 arguments", [callTool("read_file", numbered(300_000))]],
])("the server answers other clients while a model requests %s [SEC-09]", async (_, parts) => {
  await using stage = await openStage({ model: scriptedModel([parts]), mode: "yolo" });

  const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
    promptOnce(stage, "go"),
  );

  expect(result.calls).toEqual(parts.map(() => "FAILED"));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
});
