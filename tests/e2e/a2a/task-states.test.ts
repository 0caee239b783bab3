import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI, type TaskState } from "@dt/schema";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "../support/raw-rpc.js";
import { jsonOf } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };

const say = (text: string, ids: object = {}) => ({
  message: { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text }], ...ids },
});

/** An agent whose turns end as the prompt says: "STATE", or "STATE: TEXT" with a text as status message. */
const openAgent = createScriptedAgent(async (turn) => {
  const [name, text] = turn.text.split(": ");
  const state = name as TaskState;
  return text === undefined ? state : { state, statusParts: [{ type: "text", text }] };
});

test.each([
  ["rejected", "TASK_STATE_REJECTED"],
  ["auth-required", "TASK_STATE_AUTH_REQUIRED"],
])(
  "a stream ends when the agent ends the turn in the state %s [SRV-07]",
  async (state, spelled) => {
    await using server = await openTestServer({ openAgent });

    const events = await readStream(await post(server.url, "SendStreamingMessage", say(state), V1));
    const { id } = events[0]?.json.result.task ?? {};
    const got = await jsonOf(await post(server.url, "GetTask", { id }, V1));
    const older = await readStream(
      await post(server.url, "message/stream", {
        message: { role: "user", messageId: randomUUID(), parts: [{ kind: "text", text: state }] },
      }),
    );

    expect(events.at(-1)?.json.result.statusUpdate.status.state).toBe(spelled);
    expect(got.result.status.state).toBe(spelled);
    expect(older.at(-1)?.json.result).toMatchObject({ status: { state }, final: true });
  },
);

test.each([
  ["TASK_STATE_REJECTED", "TASK_STATE_FAILED"],
  ["TASK_STATE_AUTH_REQUIRED", "TASK_STATE_INPUT_REQUIRED"],
])("ListTasks with the status %s returns no task in %s", async (status, other) => {
  await using server = await openTestServer({ openAgent });
  for (const state of ["rejected", "failed", "auth-required", "input-required"]) {
    await post(server.url, "SendMessage", say(state), V1);
  }
  const list = async (wanted: string) =>
    (await jsonOf(await post(server.url, "ListTasks", { status: wanted }, V1))).result.tasks;

  const [found, others] = [await list(status), await list(other)];

  // biome-ignore lint/suspicious/noExplicitAny: foreign JSON.
  const states = (tasks: readonly any[]) => tasks.map((task) => task.status.state);
  expect(states(found)).toEqual([status]);
  expect(states(others)).toEqual([other]);
});

test("a message to a rejected task is refused, and a message to an auth-required task continues it [SRV-07]", async () => {
  await using server = await openTestServer({ openAgent });
  const send = async (text: string, taskId?: string) =>
    await jsonOf(await post(server.url, "SendMessage", say(text, taskId ? { taskId } : {}), V1));
  const rejected = await send("rejected");
  const locked = await send("auth-required");

  const refused = await send("completed", rejected.result.task.id);
  const continued = await send("completed", locked.result.task.id);
  const cancelled = await jsonOf(
    await post(server.url, "CancelTask", { id: rejected.result.task.id }, V1),
  );
  const subscribed = await jsonOf(
    await post(server.url, "SubscribeToTask", { id: rejected.result.task.id }, V1),
  );

  expect(refused.error.code).toBe(-32004);
  expect(continued.result.task).toMatchObject({
    id: locked.result.task.id,
    status: { state: "TASK_STATE_COMPLETED" },
  });
  expect(cancelled.error.code).toBe(-32002);
  expect(subscribed.error.code).toBe(-32004);
});

test("the agent's text is the status message for plain clients and for clients of our extension", async () => {
  await using server = await openTestServer({ openAgent });
  const extension = {
    extensions: [DEVELOPMENT_TOOL_URI],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } },
  };
  const send = async (text: string, ids = {}) =>
    (await jsonOf(await post(server.url, "SendMessage", say(text, ids), V1))).result.task;

  const plain = await send("auth-required: Sign in first.");
  const rfc = await send("rejected: I only review code.", extension);

  expect(plain.status).toMatchObject({
    state: "TASK_STATE_AUTH_REQUIRED",
    message: { parts: [{ text: "Sign in first." }] },
  });
  expect(plain.artifacts).toMatchObject([
    { name: "question", parts: [{ text: "Sign in first." }] },
  ]);
  expect(rfc.status).toMatchObject({
    state: "TASK_STATE_REJECTED",
    message: { parts: [{ text: "I only review code." }] },
  });
  expect(rfc).not.toHaveProperty("artifacts");
});
