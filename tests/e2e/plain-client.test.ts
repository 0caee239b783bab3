import { randomUUID } from "node:crypto";
import type { ToolCall } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "./support/raw-rpc.js";
import { deferred, jsonOf } from "./ws-client.js";

/** Creates an agent that asks about the calls and then sends the chosen options as text. */
function askingAgent(...calls: readonly ToolCall[]) {
  return createScriptedAgent(async (turn) => {
    await turn.emit({ kind: "THOUGHT", thought: { subject: "Plan", description: "ask" } });
    const answers = await turn.ask(...calls);
    await turn.say(`chosen: ${answers.map((answer) => answer.selectedOptionId).join(" ")}`);
  });
}

async function openPlainStage(openAgent = createScriptedAgent()) {
  const server = await openTestServer({ openAgent });
  const send = async (text: string, task?: { id: string; contextId: string }) =>
    (
      await readStream(
        await post(server.url, "message/stream", {
          message: {
            kind: "message",
            role: "user",
            messageId: randomUUID(),
            parts: [{ kind: "text", text }],
            ...(task && { taskId: task.id, contextId: task.contextId }),
          },
        }),
      )
    ).map(({ json }) => json.result ?? json.error);
  return { server, send, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("a plain client gets the reply as a message and as an artifact", async () => {
  await using stage = await openPlainStage();

  const [task, working, artifact, text, rest, end] = await stage.send("hello");
  const got = await jsonOf(await post(stage.server.url, "tasks/get", { id: task.id }));

  expect(task).toMatchObject({ kind: "task", status: { state: "submitted" } });
  expect(working).toMatchObject({ kind: "status-update", status: { state: "working" } });
  expect(text.status.message).toMatchObject({
    role: "agent",
    parts: [{ kind: "text", text: "hello" }],
  });
  expect(artifact).toMatchObject({
    kind: "artifact-update",
    taskId: task.id,
    artifact: { artifactId: `${task.id}:answer`, parts: [{ kind: "text", text: "hello" }] },
    append: false,
  });
  expect(rest).toMatchObject({
    artifact: { artifactId: `${task.id}:answer`, parts: [{ kind: "text", text: "" }] },
    append: true,
    lastChunk: true,
  });
  expect(end).toMatchObject({ status: { state: "completed" }, final: true });
  expect(got.result.artifacts).toEqual([artifact.artifact]);
  expect(JSON.stringify([task, working, text, artifact, rest, end])).not.toContain('"metadata"');
});

test("a plain client gets a question as text and answers it with an option id", async () => {
  await using stage = await openPlainStage(askingAgent(buildQuestion()));

  const asked = await stage.send("go");
  const question = asked.at(-1);
  const answered = await stage.send("proceed_once", asked[0]);

  expect(asked.map(({ kind }) => kind)).toEqual([
    "task",
    "status-update",
    "artifact-update",
    "status-update",
  ]);
  expect(question).toMatchObject({ status: { state: "input-required" }, final: true });
  expect(question.status.message.parts).toEqual([
    { kind: "text", text: expect.stringContaining("proceed_once") },
  ]);
  expect(answered.map(({ status }) => status?.message?.parts[0].text)).toContain(
    "chosen: proceed_once",
  );
  expect(answered.at(-1)).toMatchObject({ status: { state: "completed" }, final: true });
});

test("a plain client's late answer is no prompt, and its refusal names the accepted option [CLI-14]", async () => {
  const answered = deferred();
  const held = deferred();
  const openAgent = createScriptedAgent(async (turn) => {
    await turn.ask(buildQuestion());
    answered.resolve();
    await held.promise;
  });
  await using stage = await openPlainStage(openAgent);
  const [task] = await stage.send("go");
  const winner = stage.send("proceed_once", task);
  await answered.promise;

  const [late] = await stage.send("cancel", task);
  held.resolve();
  await winner;
  const [afterwards] = await stage.send("proceed_once", task);

  const refusal = { code: -32050, data: { selectedOptionId: "proceed_once" } };
  expect(late).toMatchObject(refusal);
  expect(afterwards).toMatchObject(refusal);
});

for (const text of ["yes", "ok, proceed_once", "PROCEED_ONCE", "proceed_once call-2"]) {
  test(`a plain client that answers "${text}" gets the question again`, async () => {
    await using stage = await openPlainStage(askingAgent(buildQuestion()));
    const asked = await stage.send("go");

    const repeated = await stage.send(text, asked[0]);
    const later = await stage.send("cancel", asked[0]);

    const { parts } = asked.at(-1).status.message;
    expect(repeated).toMatchObject([
      { artifact: { name: "question", parts } },
      { status: { state: "input-required", message: { parts } }, final: true },
    ]);
    expect(later.map(({ status }) => status?.message?.parts[0].text)).toContain("chosen: cancel");
  });
}

test("a plain client's answer needs only the context id, not the task id", async () => {
  await using stage = await openPlainStage(askingAgent(buildQuestion()));
  const [task] = await stage.send("go");
  const send = async (text: string) =>
    await jsonOf(
      await post(stage.server.url, "message/send", {
        message: {
          kind: "message",
          role: "user",
          messageId: randomUUID(),
          parts: [{ kind: "text", text }],
          contextId: task.contextId,
        },
      }),
    );

  const repeated = await send("sure");
  const answered = await send("proceed_once");

  expect(repeated.result).toMatchObject({ id: task.id, status: { state: "input-required" } });
  expect(answered.result).toMatchObject({
    id: task.id,
    status: { state: "completed" },
    artifacts: [{ parts: [{ text: "chosen: proceed_once" }] }],
  });
});

test("a plain client must add the call id to its answer if several questions are open", async () => {
  const calls = [buildQuestion(), buildQuestion({ toolCallId: "call-2" })];
  await using stage = await openPlainStage(askingAgent(...calls));
  const asked = await stage.send("go");

  const unclear = await stage.send("proceed_once", asked[0]);
  const first = await stage.send("cancel call-2", asked[0]);
  const second = await stage.send("proceed_once", asked[0]);

  expect(unclear.at(-1)).toMatchObject({ status: { state: "input-required" } });
  expect(first.at(-1)).toMatchObject({ status: { state: "input-required" }, final: true });
  expect(first.at(-1).status.message.parts[0].text).not.toContain("call-2");
  expect(second.map(({ status }) => status?.message?.parts[0].text)).toContain(
    "chosen: proceed_once cancel",
  );
});

test("a plain client of A2A 1.0 that gives an unclear answer gets the question again", async () => {
  await using stage = await openPlainStage(askingAgent(buildQuestion()));
  const [task] = await stage.send("go");
  const message = {
    role: "ROLE_USER",
    messageId: randomUUID(),
    parts: [{ text: "well" }],
    taskId: task.id,
  };

  const streamed = await readStream(
    await post(stage.server.url, "SendStreamingMessage", { message }),
  );
  const blocked = await jsonOf(await post(stage.server.url, "SendMessage", { message }));

  const question = { parts: [{ text: expect.stringContaining("proceed_once") }] };
  expect(streamed.map(({ json }) => json.result)).toMatchObject([
    { task: { status: { message: question } } },
    { artifactUpdate: { artifact: { name: "question", ...question } } },
    { statusUpdate: { status: { state: "TASK_STATE_INPUT_REQUIRED", message: question } } },
  ]);
  expect(blocked.result.task.status).toMatchObject({
    state: "TASK_STATE_INPUT_REQUIRED",
    message: question,
  });
});

test("a message of a plain client to a completed task is refused", async () => {
  await using stage = await openPlainStage();
  const [task] = await stage.send("one");

  const [refused] = await stage.send("two", task);

  expect(refused.code).toBe(-32004);
});
