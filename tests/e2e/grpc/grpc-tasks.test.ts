import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  type Task,
  TaskPushNotificationConfig,
  TaskState,
} from "@a2a-js/sdk";
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { jsonOf } from "../ws-client.js";
import { createGrpcFactory } from "./grpc-client.js";
import { openGrpcServer, prompt } from "./grpc-server.js";

/** An address without a listener. Push configs with this address are stored, but every delivery fails. */
const HOOK_URL = "http://127.0.0.1:9/hook";

test("the card lists gRPC after the other bindings, with host and port", async () => {
  await using served = await openGrpcServer();

  const card = await jsonOf(await fetch(`${served.url}.well-known/agent-card.json`));

  expect(served.address).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(card.supportedInterfaces).toHaveLength(5);
  expect(card.supportedInterfaces.at(-1)).toEqual({
    url: served.address,
    protocolBinding: "GRPC",
    protocolVersion: "1.0",
  });
});

test("the official client sends messages and gets, lists and cancels tasks over gRPC", async () => {
  await using served = await openGrpcServer({
    script: async (turn) => {
      if (turn.text === "wait") await turn.ask(buildQuestion());
      await turn.say(`echo ${turn.text}`);
    },
  });
  const client = await createGrpcFactory().createFromUrl(served.url);
  const send = async (text: string) =>
    (await client.sendMessage(SendMessageRequest.fromJSON(prompt(text)))) as Task;

  const sent = await send("hello");
  const task = await client.getTask(GetTaskRequest.fromJSON({ id: sent.id, historyLength: 1 }));
  const waiting = await send("wait");
  const page = await client.listTasks(ListTasksRequest.fromJSON({ pageSize: 1 }));
  const rest = await client.listTasks(
    ListTasksRequest.fromJSON({ pageSize: 1, pageToken: page.nextPageToken }),
  );
  const ended = await client.listTasks(
    ListTasksRequest.fromJSON({ status: "TASK_STATE_COMPLETED", includeArtifacts: true }),
  );
  const cancelled = await client.cancelTask(CancelTaskRequest.fromJSON({ id: waiting.id }));

  expect(sent.artifacts[0]?.parts[0]?.content?.value).toBe("echo hello");
  expect(task).toMatchObject({ id: sent.id, history: [{}] });
  expect(waiting.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect([page.tasks[0]?.id, rest.tasks[0]?.id]).toEqual([waiting.id, sent.id]);
  expect(page).toMatchObject({ pageSize: 1, totalSize: 2 });
  expect(ended.tasks.map(({ id, artifacts }) => [id, artifacts.length])).toEqual([[sent.id, 1]]);
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect(served.faults).toEqual([]);
});

test("sendMessage over gRPC returns at a question, or at once with returnImmediately", async () => {
  await using served = await openGrpcServer({
    script: async (turn) => {
      await turn.ask(buildQuestion());
    },
  });
  const client = await createGrpcFactory().createFromUrl(served.url);

  const asked = (await client.sendMessage(SendMessageRequest.fromJSON(prompt("go")))) as Task;
  const started = (await client.sendMessage(
    SendMessageRequest.fromJSON({
      ...prompt("go"),
      configuration: { returnImmediately: true, historyLength: 0 },
    }),
  )) as Task;

  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(asked.status?.message?.parts[0]?.content?.value).toContain("proceed_once");
  expect(started.history).toEqual([]);
});

test("the official client sets, gets, lists and deletes push configs over gRPC [RFC-03]", async () => {
  await using served = await openGrpcServer({
    push: { allowList: ["127.0.0.1"], retry: { baseMs: 60_000 } },
  });
  const client = await createGrpcFactory().createFromUrl(served.url);
  const { id: taskId } = (await client.sendMessage(
    SendMessageRequest.fromJSON(prompt("hello")),
  )) as Task;
  const config = {
    taskId,
    id: "mine",
    url: HOOK_URL,
    token: "token",
    authentication: { scheme: "Bearer", credentials: "secret" },
  };
  const address = { taskId, id: "mine" };

  await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config));
  const found = await client.getTaskPushNotificationConfig(
    GetTaskPushNotificationConfigRequest.fromJSON(address),
  );
  const list = () =>
    client.listTaskPushNotificationConfig(
      ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }),
    );
  const before = await list();
  await client.deleteTaskPushNotificationConfig(
    DeleteTaskPushNotificationConfigRequest.fromJSON(address),
  );

  expect(TaskPushNotificationConfig.toJSON(found)).toEqual({
    ...config,
    authentication: { scheme: "Bearer" },
  });
  expect(before.configs).toEqual([found]);
  expect((await list()).configs).toEqual([]);
});

test("a push config that is sent with a gRPC message is stored for the task of the message [RFC-03]", async () => {
  await using served = await openGrpcServer({
    push: { allowList: ["127.0.0.1"], retry: { baseMs: 60_000 } },
  });
  const client = await createGrpcFactory().createFromUrl(served.url);

  const { id: taskId } = (await client.sendMessage(
    SendMessageRequest.fromJSON({
      ...prompt("hello"),
      configuration: { taskPushNotificationConfig: { id: "first", url: HOOK_URL } },
    }),
  )) as Task;
  const { configs } = await client.listTaskPushNotificationConfig(
    ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }),
  );

  expect(configs.map(({ id, url }) => [id, url])).toEqual([["first", HOOK_URL]]);
});

test("a message with a file is accepted over gRPC, and the file is in the history", async () => {
  const seen: unknown[] = [];
  await using served = await openGrpcServer({
    script: async (turn) => {
      seen.push(turn.text);
    },
  });
  const client = await createGrpcFactory().createFromUrl(served.url);
  const parts = [
    { text: "look" },
    { raw: Buffer.from("file").toString("base64"), filename: "a.txt", mediaType: "text/plain" },
  ];

  const sent = (await client.sendMessage(
    SendMessageRequest.fromJSON(prompt("", { parts })),
  )) as Task;

  expect(seen).toEqual(["look"]);
  expect(sent.history[0]?.parts[1]).toMatchObject({
    content: { $case: "raw", value: Buffer.from("file") },
    filename: "a.txt",
    mediaType: "text/plain",
  });
});

test("a gRPC request for the extended card is refused as an unsupported operation", async () => {
  await using served = await openGrpcServer();
  const client = await createGrpcFactory().createFromUrl(served.url);

  await expect(
    client.getAgentCard().then(async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the client asks only if the card declares the capability.
      const { transport } = client as any;
      return await transport.getExtendedAgentCard(GetExtendedAgentCardRequest.fromJSON({}));
    }),
  ).rejects.toMatchObject({ name: "UnsupportedOperationError", status: 9 });
});
