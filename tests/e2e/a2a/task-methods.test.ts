import { randomUUID } from "node:crypto";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "../support/raw-rpc.js";
import { jsonOf } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };

const openAgent = createScriptedAgent(async (turn) => {
  if (turn.text === "ask") await turn.ask(buildQuestion());
  if (turn.text === "fail") throw new Error("no");
  await turn.say(`echo ${turn.text}`);
});

const send = async (url: string, text: string) => {
  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text }] };
  return (await jsonOf(await post(url, "SendMessage", { message }, V1))).result.task;
};

test("a subscription of A2A 1.0 to an ended task is refused if it has no cursor", async () => {
  await using server = await openTestServer({ openAgent });
  const task = await send(server.url, "hello");

  const refused = await jsonOf(await post(server.url, "SubscribeToTask", { id: task.id }, V1));
  const rest = await fetch(`${server.url}v1/tasks/${task.id}:subscribe`);

  expect(refused.error).toMatchObject({
    code: -32004,
    message: `the task ${task.id} is completed; get it instead, or subscribe with a cursor`,
    data: [{ reason: "UNSUPPORTED_OPERATION" }, {}],
  });
  expect(rest.status).toBe(400);
  expect(await jsonOf(rest)).toMatchObject({ error: { details: [{}, {}] } });
});

test("a subscription to an ended task after a cursor gets the remaining events [LOG-02]", async () => {
  await using server = await openTestServer({ openAgent });
  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text: "hello" }] };
  const whole = await readStream(await post(server.url, "SendStreamingMessage", { message }, V1));
  const { id } = whole[0]?.json.result.task ?? {};

  const after = { ...V1, "Last-Event-ID": whole[1]?.id ?? "" };
  const rest = await readStream(await post(server.url, "SubscribeToTask", { id }, after));
  const atEnd = { ...V1, "Last-Event-ID": whole.at(-1)?.id ?? "" };
  const nothing = await readStream(await post(server.url, "SubscribeToTask", { id }, atEnd));

  expect(rest.slice(1)).toEqual(whole.slice(2));
  expect(rest.at(-1)?.json.result.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
  expect(nothing.map(({ json }) => Object.keys(json.result))).toEqual([["task"]]);
});

test("a subscription of A2A 0.3 to an ended task gets the task and ends", async () => {
  await using server = await openTestServer({ openAgent });
  const { id } = await send(server.url, "hello");

  const events = await readStream(await post(server.url, "tasks/resubscribe", { id }));

  expect(events.map(({ json }) => json.result)).toMatchObject([
    { kind: "task", id, status: { state: "completed" } },
  ]);
});

test.each([
  ["TASK_STATE_COMPLETED", ["completed"]],
  ["TASK_STATE_FAILED", ["failed"]],
  ["TASK_STATE_REJECTED", []],
  ["TASK_STATE_INPUT_REQUIRED", ["asking"]],
  ["TASK_STATE_AUTH_REQUIRED", []],
  [3, ["completed"]],
  [7, []],
])("ListTasks with the status %s returns only tasks in that state", async (status, names) => {
  await using server = await openTestServer({ openAgent });
  const ids = new Map<string, string>();
  for (const [name, text] of [
    ["completed", "a"],
    ["failed", "fail"],
    ["asking", "ask"],
  ] as const) {
    ids.set((await send(server.url, text)).id, name);
  }

  const list = (await jsonOf(await post(server.url, "ListTasks", { status }, V1))).result;
  const rest = await jsonOf(await fetch(`${server.url}v1/tasks?status=${status}`));

  const namesOf = ({ tasks }: { tasks: { id: string }[] }) => tasks.map(({ id }) => ids.get(id));
  expect(namesOf(list)).toEqual(names);
  expect(namesOf(rest)).toEqual(names);
  expect(list.totalSize).toBe(names.length);
});

test.each([
  [{ page_size: 1 }, 1],
  [{ page_size: "1", page_token: null, status: null }, 1],
  [{ pageSize: 1, contextId: null, include_artifacts: false }, 1],
])("ListTasks accepts the parameters %j, which are valid ProtoJSON", async (params, count) => {
  await using server = await openTestServer({ openAgent });
  await send(server.url, "a");
  await send(server.url, "b");

  const { result } = await jsonOf(await post(server.url, "ListTasks", params, V1));

  expect(result).toMatchObject({ pageSize: 1, totalSize: 2 });
  expect(result.tasks).toHaveLength(count);
});

test("ListTasks refuses an unknown parameter", async () => {
  await using server = await openTestServer({ openAgent });

  const { error } = await jsonOf(await post(server.url, "ListTasks", { contextID: "c" }, V1));
  const rest = await fetch(`${server.url}v1/tasks?state=completed`);
  const known = await fetch(`${server.url}v1/tasks?A2A-Version=1.0&page_size=1`);

  expect(error).toMatchObject({
    code: -32602,
    message: "contextID: there is no such parameter, did you mean contextId?",
  });
  expect(rest.status).toBe(400);
  expect(known.status).toBe(200);
});

test("SendMessage accepts snake_case field names and numbers for enums", async () => {
  await using server = await openTestServer({ openAgent });
  const message = { role: 1, message_id: "m-1", parts: [{ text: "hello", data: null }] };
  const configuration = { history_length: "1", return_immediately: false };

  const { result } = await jsonOf(
    await post(server.url, "SendMessage", { message, configuration }, V1),
  );
  const got = await fetch(`${server.url}v1/tasks/${result.task.id}?history_length=1`);

  expect(result.task.artifacts).toMatchObject([{ parts: [{ text: "echo hello" }] }]);
  expect((await jsonOf(got)).history).toHaveLength(1);
});
