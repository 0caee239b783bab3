import { randomUUID } from "node:crypto";
import { geminiScript } from "@dt/client/testing";
import { expect, test } from "vitest";
import { openGeminiStage } from "./support/open-gemini-stage.js";
import { post, readStream } from "./support/raw-rpc.js";

const { call, runShell, say, writeFile } = geminiScript;

// The client works around faults of gemini-cli's server. These tests check that the stand-in has the same
// faults.

// biome-ignore lint/suspicious/noExplicitAny: the peer's JSON.
type Json = any;

const SETTINGS = { coderAgent: { kind: "agent-settings", workspacePath: "/w" } };

async function open(url: string, message: object): Promise<Response> {
  const base = { kind: "message", role: "user", messageId: randomUUID() };
  return await post(url, "message/stream", { message: { ...base, ...message } });
}

async function send(url: string, message: object): Promise<readonly Json[]> {
  return (await readStream(await open(url, message))).map(({ json }) => json.result ?? json.error);
}

const textOf = (text: string) => [{ kind: "text", text }];
const answerOf = (callId: string, rest: object = { outcome: "proceed_once" }) => [
  { kind: "data", data: { callId, ...rest } },
];

/** Shortens an update of the peer to its kind, state and content. */
function brief({ kind, status, final, metadata, artifact }: Json): string {
  if (kind !== "status-update") return artifact?.artifactId ?? kind;
  const [part] = status.message?.parts ?? [];
  const content = part?.data?.status ?? part?.text ?? "";
  return [metadata.coderAgent.kind, status.state, content, final ? "final" : ""].join(" ").trim();
}

test("the stand-in sends the recorded frames of a turn with a question", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(writeFile("/w/a.txt", "x")), say("Wrote it.")]],
  });

  const first = await send(stage.url, { parts: textOf("write"), metadata: SETTINGS });
  const taskId = first[0].id;
  const second = await send(stage.url, { taskId, parts: answerOf("write_file-1") });

  expect(first.map(brief)).toEqual([
    "task",
    "state-change working",
    "state-change working",
    "tool-call-update working validating",
    "tool-call-confirmation working awaiting_approval",
    "state-change input-required  final",
  ]);
  expect(second.map(brief)).toEqual([
    "tool-call-update input-required scheduled",
    "tool-call-update input-required executing",
    "tool-call-update input-required success",
    "state-change working",
    "text-content working Wrote it.",
    "state-change input-required  final",
  ]);
});

test("the stand-in cancels a tool that is approved after the connection of the prompt closed", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(runShell("ls"))]],
    keepAliveSeconds: 3,
  });
  const first = await send(stage.url, { parts: textOf("run"), metadata: SETTINGS });
  // Waits until Node's fetch has closed the idle connection.
  await expect.poll(() => stage.ended.length, { timeout: 300_000 }).toBe(1);

  const second = await send(stage.url, {
    taskId: first[0].id,
    parts: answerOf("run_shell_command-1"),
  });

  expect(second.map(brief)).toEqual([
    "tool-call-update input-required cancelled",
    "state-change input-required Execution aborted by client. final",
  ]);
  expect(stage.standIn.ran).toEqual([]);
});

test("the stand-in discards a prompt during a turn and streams the running turn instead", async () => {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await using stage = await openGeminiStage({
    turns: [[{ type: "wait", until }, say("first")], [say("second")]],
  });
  const response = await open(stage.url, { parts: textOf("one"), metadata: SETTINGS });
  const reading = readStream(response);
  await expect.poll(() => stage.standIn.requests.length).toBe(1);
  const taskId = await firstTaskId(stage);

  const second = send(stage.url, { taskId, parts: textOf("two") });
  await expect.poll(() => stage.standIn.requests.length).toBe(3);
  finish();

  const common = ["state-change working", "text-content working first"];
  const end = "state-change input-required  final";
  expect((await second).map(brief)).toEqual([...common, end]);
  expect((await reading).map(({ json }) => brief(json.result)).slice(2)).toEqual([...common, end]);
});

test("the stand-in ignores an answer to only one of two simultaneous questions", async () => {
  await using stage = await openGeminiStage({
    turns: [[call(writeFile("/w/a", "a"), writeFile("/w/b", "b"))]],
    asksTogether: true,
  });
  const [task] = await send(stage.url, { parts: textOf("write"), metadata: SETTINGS });

  const response = await open(stage.url, { taskId: task.id, parts: answerOf("write_file-1") });
  const late = await post(stage.url, "tasks/get", { id: task.id });

  expect(response.status).toBe(200);
  expect(((await late.json()) as Json).result).toMatchObject({
    status: { state: "input-required" },
    history: [],
  });
  expect(stage.standIn.ran).toEqual([]);
  await response.body?.cancel();
});

test("the stand-in sends errors as events of a stream with status 200", async () => {
  await using stage = await openGeminiStage();

  const response = await open(stage.url, { taskId: "nope", parts: textOf("hi") });

  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/^event: error\ndata: .*-32001.*\n\n$/);
});

async function firstTaskId(stage: Awaited<ReturnType<typeof openGeminiStage>>): Promise<string> {
  const { taskIds } = stage.standIn;
  const answer = await post(stage.url, "tasks/get", { id: taskIds[0] });
  return ((await answer.json()) as Json).result.id;
}
