import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import type { TurnScript } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openRawGrpc } from "../grpc/grpc-client.js";
import { openWsClient } from "../ws-client.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const script: TurnScript = async ({ ask, text }) => {
  if (text === "ask") await ask(buildQuestion({ toolCallId: "call-1" }));
  return undefined;
};

const message = (text: string, fields: object = {}) => ({
  kind: "message",
  messageId: randomUUID(),
  role: "user",
  parts: [{ kind: "text", text }],
  ...fields,
});

/** Opens a server with a task of "ada" that waits for an answer, and a token of "bob". */
async function openTwoUsers() {
  const stage = await openTokenStage({ script });
  const [ada, bob] = await Promise.all([stage.token("ada"), stage.token("bob")]);
  const body = rpc("message/send", { message: message("ask") });
  const { result } = await (await sendAs(stage.url, { token: ada, body })).json();
  return { ...stage, ada, bob, taskId: String(result.id), contextId: String(result.contextId) };
}

test.for<[string, (ids: { taskId: string; contextId: string }) => [string, object]]>([
  ["get", ({ taskId }) => ["tasks/get", { id: taskId }]],
  ["cancel", ({ taskId }) => ["tasks/cancel", { id: taskId }]],
  ["subscribe", ({ taskId }) => ["tasks/resubscribe", { id: taskId }]],
  ["follow-session", ({ contextId }) => ["session/subscribe", { context_id: contextId }]],
  ["prompt", ({ taskId }) => ["message/send", { message: message("hi", { taskId }) }]],
  [
    "answer",
    ({ taskId }) => [
      "message/send",
      {
        message: {
          ...message("", { taskId }),
          parts: [
            { kind: "data", data: { tool_call_id: "call-1", selected_option_id: "proceed_once" } },
          ],
        },
      },
    ],
  ],
  [
    "set-push-config",
    ({ taskId }) => [
      "tasks/pushNotificationConfig/set",
      { taskId, pushNotificationConfig: { url: "https://example.com/" } },
    ],
  ],
  ["list-push-configs", ({ taskId }) => ["tasks/pushNotificationConfig/list", { id: taskId }]],
  [
    "get-push-config",
    ({ taskId }) => [
      "tasks/pushNotificationConfig/get",
      { id: taskId, pushNotificationConfigId: "one" },
    ],
  ],
  [
    "delete-push-config",
    ({ taskId }) => [
      "tasks/pushNotificationConfig/delete",
      { id: taskId, pushNotificationConfigId: "one" },
    ],
  ],
  ["list-commands", ({ contextId }) => ["commands/get", { context_id: contextId }]],
  [
    "execute-command",
    ({ contextId }) => [
      "command/execute",
      { command_path: ["help"], args: "", context_id: contextId },
    ],
  ],
])("%s on another user's session fails as on an unknown session [SEC-03]", async ([, request]) => {
  await using stage = await openTwoUsers();
  const headers = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
  const unknown = { taskId: "no-task", contextId: "no-context" };
  const call = async (ids: { taskId: string; contextId: string }) => {
    const body = rpc(...request(ids));
    const text = await (await sendAs(stage.url, { token: stage.bob, body, headers })).text();
    return text.replaceAll(ids.taskId, "TASK").replaceAll(ids.contextId, "CONTEXT");
  };

  const foreign = await call(stage);

  expect(foreign).toContain('"code":-32001');
  expect(foreign).toBe(await call(unknown));
  const { result } = await (
    await sendAs(stage.url, { token: stage.ada, body: rpc("tasks/get", { id: stage.taskId }) })
  ).json();
  expect(result.status.state).toBe("input-required");
});

test.for<[string, (taskId: string) => [path: string, body: object | undefined]]>([
  ["a REST request", (taskId) => [`v1/tasks/${taskId}`, undefined]],
  ["a GET of the server reference", (taskId) => [`tasks/${taskId}`, undefined]],
  ["a prompt of the server reference", (taskId) => [`tasks/${taskId}/execute`, { message: "hi" }]],
  ["a metadata request of the notes", (taskId) => [`tasks/${taskId}/metadata`, undefined]],
  ["a prompt of the notes", (taskId) => ["message/stream", { taskId, userMessage: "hi" }]],
])("a task of another user is not found by %s", async ([, request]) => {
  await using stage = await openTwoUsers();
  const call = async (taskId: string) => {
    const [path, body] = request(taskId);
    const response = await sendAs(`${stage.url}${path}`, { token: stage.bob, body });
    return [response.status, (await response.text()).replaceAll(taskId, "TASK")];
  };

  const foreign = await call(stage.taskId);

  expect(foreign[0]).toBe(404);
  expect(foreign).toEqual(await call("no-task"));
});

test.for<[string, (contextId: string) => [path: string, body: object | undefined]]>([
  ["lists the commands", (contextId) => [`listCommands?contextId=${contextId}`, undefined]],
  ["runs a command", (contextId) => ["executeCommand", { command: "help", contextId }]],
])(
  "a request of the notes that %s of another user's session gets 404 [SEC-03]",
  async ([, request]) => {
    await using stage = await openTwoUsers();
    const [path, body] = request(stage.contextId);

    const response = await sendAs(`${stage.url}${path}`, { token: stage.bob, body });

    expect([response.status, await response.json()]).toEqual([
      404,
      { error: `context_id: there is no session ${stage.contextId}` },
    ]);
  },
);

test("a task of another user is not found over gRPC", async () => {
  await using stage = await openTwoUsers();
  using grpc = openRawGrpc(stage.grpcAddress);
  const headers = { authorization: `Bearer ${stage.bob}` };

  const failed = await grpc
    .send("getTask", { id: stage.taskId }, { headers })
    .catch((error) => error);

  expect(failed.details).toBe(`there is no task ${stage.taskId}`);
});

test("lists contain only the caller's own tasks, in every dialect", async () => {
  await using stage = await openTwoUsers();
  const read = async (path: string, token: string) =>
    JSON.stringify(await (await sendAs(`${stage.url}${path}`, { token })).json());
  const paths = ["v1/tasks", `v1/tasks?contextId=${stage.contextId}`, "tasks", "tasks/metadata"];

  const [own, foreign] = await Promise.all(
    [stage.ada, stage.bob].map((token) => Promise.all(paths.map((path) => read(path, token)))),
  );

  expect(own?.every((text) => text.includes(stage.taskId))).toBe(true);
  expect(foreign?.some((text) => text.includes(stage.taskId))).toBe(false);
});

const send10 = (contextId: string) => ({
  message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "hi" }], contextId },
});
const send03 = (contextId: string) => ({ message: message("hi", { contextId }) });
const VERSION_10 = { "A2A-Version": "1.0" };
const RFC = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };

test.for<[string, (id: string, root: string) => [string, object, object?]]>([
  ["message/send", (id) => ["", rpc("message/send", send03(id))]],
  ["message/stream", (id) => ["", rpc("message/stream", send03(id))]],
  [
    "message/send with the RFC's extension",
    (contextId, workspace_path) => {
      const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path } };
      return ["", rpc("message/send", { message: message("hi", { contextId, metadata }) }), RFC];
    },
  ],
  ["SendMessage", (id) => ["", rpc("SendMessage", send10(id)), VERSION_10]],
  ["SendStreamingMessage", (id) => ["", rpc("SendStreamingMessage", send10(id)), VERSION_10]],
  ["REST", (id) => ["v1/message:send", send10(id), VERSION_10]],
  ["a stream of REST", (id) => ["v1/message:stream", send10(id), VERSION_10]],
  [
    "REST of A2A 0.3",
    (contextId) => {
      const { parts: _, ...fields } = send10(contextId).message;
      return ["v0.3/v1/message:send", { message: { ...fields, content: [{ text: "hi" }] } }];
    },
  ],
  ["the server reference", (contextId) => ["tasks", { contextId }]],
  [
    "gemini-cli's dialect",
    (contextId, workspacePath) => {
      const metadata = { coderAgent: { kind: "agent-settings", workspacePath } };
      return ["", rpc("message/stream", { message: message("hi", { contextId, metadata }) })];
    },
  ],
])("the context id of another user is not found by %s [SEC-03]", async ([, request]) => {
  await using stage = await openTwoUsers();
  const [path, body, headers = {}] = request(stage.contextId, stage.workspace.root);

  const answer = await (
    await sendAs(`${stage.url}${path}`, { token: stage.bob, body, headers: { ...headers } })
  ).text();

  expect(answer).toContain(`there is no session ${stage.contextId}`);
  expect(answer).toMatch(/-32001|"code":404|"task-not-found"|"NOT_FOUND"/);
});

test("the context id of another user is not found over gRPC and a WebSocket [SEC-03]", async () => {
  await using stage = await openTwoUsers();
  const { contextId, bob } = stage;
  using grpc = openRawGrpc(stage.grpcAddress);
  const headers = { authorization: `Bearer ${bob}` };
  const socket = await openWsClient(stage.wsUrl, { headers });

  const overGrpc = await grpc
    .send("sendMessage", send10(contextId), { headers })
    .catch((error) => error);
  socket.send(rpc("message/send", send03(contextId)));
  const overSocket = await socket.until(({ id }) => id === 1);
  socket.ws.close();

  expect(overGrpc.details).toBe(`there is no session ${contextId}`);
  expect(overSocket).toMatchObject({
    error: { code: -32001, message: `there is no session ${contextId}` },
  });
});

test("two messages with the same id from different users are not repeats of each other [LOG-05]", async () => {
  await using stage = await openTwoUsers();
  const sent = message("hi");
  const prompt = async (token: string) =>
    (
      await (
        await sendAs(stage.url, { token, body: rpc("message/send", { message: sent }) })
      ).json()
    ).result;

  const [one, other] = [await prompt(stage.ada), await prompt(stage.bob)];

  expect(one.id).not.toBe(other.id);
});
