import path from "node:path";
import { geminiChunk, geminiStream, thenWait } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { openLiveStage } from "../support/open-live-stage.js";
import { post } from "../support/raw-rpc.js";
import { deferred } from "../ws-client.js";
import {
  buildAnswer,
  buildPrompt,
  findAskedCall,
  openDialectStage,
  readEvents,
  request,
  say,
  type TaskName,
} from "./open-dialect-stage.js";

// biome-ignore lint/suspicious/noExplicitAny: frames are foreign JSON.
type Json = any;

const write = (file: string, content: string) =>
  request(["write_file", { file_path: file, content }]);
const kindsOf = (frames: readonly Json[]) =>
  frames.map(({ kind, metadata }) => metadata?.coderAgent?.kind ?? kind);
const taskOf = ([task]: readonly Json[]): TaskName => ({ id: task.id, contextId: task.contextId });

test("an approval with newContent writes the content that the user edited [RFC-21]", async () => {
  await using stage = await openDialectStage({
    answers: () => [write("a.txt", "model"), say("done")],
  });
  const asked = await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root }));

  const answer = buildAnswer(findAskedCall(asked), "proceed_once", taskOf(asked), "mine\n");
  const done = await stage.stream(answer);

  expect(await stage.workspace.read("a.txt")).toBe("mine\n");
  expect(done.at(-1)).toMatchObject({ status: { state: "input-required" }, final: true });
});

test("autoExecute of one task does not apply to another task of the session [SRV-09]", async () => {
  await using stage = await openDialectStage({
    answers: () => [write("a.txt", "1"), say("done"), write("b.txt", "2"), say("done")],
  });
  const settings = { workspacePath: stage.root };

  const free = await stage.stream(buildPrompt("go", undefined, { ...settings, autoExecute: true }));
  const { contextId } = taskOf(free);
  const asking = await stage.stream({ ...buildPrompt("go", undefined, settings), contextId });

  expect(kindsOf(free)).not.toContain("tool-call-confirmation");
  expect(await stage.workspace.read("a.txt")).toBe("1");
  expect(kindsOf(asking)).toContain("tool-call-confirmation");
});

test("a prompt with autoExecute but without a workspace uses the default workspace", async () => {
  await using stage = await openDialectStage({
    answers: () => [request(["list_directory", { path: "." }]), say("done")],
    server: { workspaceRoots: ["/"] },
  });

  const frames = await stage.stream(buildPrompt("go", undefined, { autoExecute: true }));

  const last = frames.findLast(({ status }) => status?.message?.parts[0].data);
  expect(last.status.message.parts[0].data).toMatchObject({ status: "success" });
  expect(frames.at(-1)).toMatchObject({ status: { state: "input-required" }, final: true });
});

test("a workspace outside the roots is refused with an error event [SEC-04]", async () => {
  await using stage = await openDialectStage({ answers: () => [] });

  const response = await stage.rpc("message/stream", {
    message: buildPrompt("go", undefined, { workspacePath: path.dirname(stage.root) }),
  });
  const text = await response.text();

  expect(response.status).toBe(200);
  expect(text).toMatch(/^event: error\ndata: \{"jsonrpc":"2.0","id":7,"error":\{"code":-32053,/m);
});

test("a prompt without settings gets frames in the dialect of its task", async () => {
  await using stage = await openDialectStage({ answers: () => [say("one"), say("two"), say("3")] });
  const first = await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root }));
  const plain = await stage.stream(buildPrompt("go", undefined));

  const second = await stage.stream(buildPrompt("go", taskOf(first)));

  expect(kindsOf(second)).toEqual(["state-change", "text-content", "state-change"]);
  expect(JSON.stringify(plain)).not.toContain("coderAgent");
});

test("a re-sent message gets the same task and frames of the same kinds [LOG-05]", async () => {
  await using stage = await openDialectStage({ answers: () => [say("one")] });
  const message = buildPrompt("go", undefined, { workspacePath: stage.root });

  const first = await stage.stream(message);
  const again = await stage.stream(message);

  expect(again.map(({ kind }) => kind)).toEqual(first.map(({ kind }) => kind));
  expect(taskOf(again)).toEqual(taskOf(first));
});

test("a subscriber gets the task and then the later frames of the turn", async () => {
  const release = deferred();
  const chunk = (text: string, end = {}) => geminiChunk([{ text }], end);
  await using stage = await openDialectStage({
    answers: () => [
      thenWait(
        geminiStream([chunk("one"), chunk("two", { finishReason: "STOP" })]),
        release.promise,
      ),
    ],
  });
  let joined: Promise<readonly Json[]> | undefined;

  const frames = await stage.stream(
    buildPrompt("go", undefined, { workspacePath: stage.root }),
    async (frame) => {
      if (frame.metadata?.coderAgent?.kind !== "text-content" || joined !== undefined) return;
      const id = frame.taskId;
      const events = readEvents(await post(stage.url, "tasks/resubscribe", { id }));
      const { value: snapshot } = await events.next();
      release.resolve();
      joined = collect(events).then((rest) => [snapshot, ...rest]);
    },
  );
  const subscribed = ((await joined) ?? []).map(({ result }) => result);

  expect(frames.at(-1)).toMatchObject({ status: { state: "input-required" }, final: true });
  expect(subscribed[0]).toMatchObject({ kind: "task", status: { state: "working" } });
  expect(subscribed.at(-1)).toEqual(frames.at(-1));
});

test("a question can be answered in the Gemini dialect after a restart [LOG-03]", async () => {
  await using stage = await openDialectStage({
    answers: () => [write("a.txt", "model"), say("done")],
  });
  const asked = await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root }));
  await stage.restart();

  const task = await stage.call("tasks/get", { id: taskOf(asked).id });
  const done = await stage.stream(buildAnswer(findAskedCall(asked), "proceed_once", taskOf(asked)));

  expect(task).toMatchObject({ status: { state: "input-required" }, artifacts: [] });
  expect(kindsOf(done)).toEqual([
    "tool-call-update",
    "tool-call-update",
    "tool-call-update",
    "state-change",
    "text-content",
    "state-change",
  ]);
  expect(await stage.workspace.read("a.txt")).toBe("model");
});

test("@dt/client with the Gemini dialect runs a turn with a question on our server", async () => {
  await using stage = await openDialectStage({
    answers: () => [write("a.txt", "model"), say("done")],
  });
  const client = await connect(stage.url, { dialect: "gemini" });

  const task = await client.startTask({ workspacePath: stage.root, prompt: "go" });
  const seen: string[] = [];
  for await (const event of task.events()) {
    const isCall = event.kind === "TOOL_CALL_UPDATE";
    seen.push(isCall ? event.toolCall.status : `${event.kind} ${event.state}`);
    if (isCall && event.toolCall.confirmationRequest) {
      await task.answer(event.toolCall, { newContent: "mine" });
    }
  }
  client.close();

  expect(await stage.workspace.read("a.txt")).toBe("mine");
  expect(seen).toEqual([
    "STATE_CHANGE working",
    "PENDING",
    "STATE_CHANGE input-required",
    "EXECUTING",
    "SUCCEEDED",
    "TEXT_CONTENT working",
    "STATE_CHANGE completed",
  ]);
});

test("@dt/client without the dialect can answer a question that was asked in the dialect", async () => {
  await using stage = await openDialectStage({
    answers: () => [write("a.txt", "model"), say("done")],
  });
  const asked = await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root }));
  const client = await connect(stage.url);

  const task = await client.openTask(taskOf(asked).id);
  const [question] = task.view().openCalls;
  const verdict = await task.answer(question!, "proceed_once");
  for await (const _ of task.events());
  const late = await stage.stream(buildAnswer(findAskedCall(asked), "cancel", taskOf(asked)));
  client.close();

  expect(verdict).toEqual({ accepted: true });
  expect(task.view()).toMatchObject({ state: "completed" });
  expect(late).toMatchObject([
    { error: { code: -32050, data: { selectedOptionId: "proceed_once" } } },
  ]);
});

test("GetTask of A2A 1.0 returns a task of the Gemini dialect in A2A 1.0", async () => {
  await using stage = await openDialectStage({ answers: () => [say("one")] });
  const { id } = taskOf(
    await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root })),
  );

  const response = await post(stage.url, "GetTask", { id }, { "A2A-Version": "1.0" });

  expect(await response.json()).toMatchObject({
    result: { status: { state: "TASK_STATE_COMPLETED" } },
  });
});

test("a live endpoint replies in the Gemini dialect to a message with the dialect's settings [CLI-10]", async () => {
  await using stage = await openLiveStage();
  const message = buildPrompt("say hello", undefined, { workspacePath: stage.workspace.root });

  const frames: Json[] = await collect(
    readEvents(await post(stage.url, "message/stream", { message })),
  );

  expect(kindsOf(frames.map(({ result }) => result)).slice(-2)).toEqual([
    "text-content",
    "state-change",
  ]);
});

async function collect<TItem>(items: AsyncIterable<TItem>): Promise<TItem[]> {
  const collected: TItem[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
