import { randomUUID } from "node:crypto";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect, type SessionEvent } from "@dt/client";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { provePushes } from "./support/prove-pushes.js";
import { isSigned, openPushReceiver } from "./support/push-receiver.js";
import { post } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";
import { jsonOf } from "./ws-client.js";

const extensions = { "A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}` };

async function openSetup(variables: Readonly<Record<string, string>> = {}) {
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    DT_PUSH_ALLOW: "127.0.0.1",
    DT_LOG_LEVEL: "info",
    // Without this key, the credentials of push configs would end with the first process.
    DT_SECRET_KEY: "a key of the tests with 32 characters",
    ...variables,
  };
  return {
    root: workspace.root,
    environment,
    async [Symbol.asyncDispose]() {
      await data[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function prompt(url: string, root: string, config: object, text = "say one then say two") {
  const { result } = await jsonOf(
    await post(
      url,
      "SendMessage",
      {
        message: {
          role: "ROLE_USER",
          messageId: randomUUID(),
          parts: [{ text }],
          metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: root } },
        },
        configuration: { taskPushNotificationConfig: config },
      },
      extensions,
    ),
  );
  return result.task.id as string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
const stateIn = ({ json }: { json: any }) => json.statusUpdate.status.state;

test("a restarted server repeats a delivery that kill -9 interrupted, as attempt 2 [RFC-03, LOG-01]", async () => {
  await using setup = await openSetup();
  await using receiver = await openPushReceiver();
  receiver.answerWith("hang");
  await using first = await startServerProcess(setup.environment);

  const authentication = { scheme: "HMAC", credentials: "key" };
  await prompt(first.url, setup.root, { url: receiver.url, authentication });
  await receiver.until(() => receiver.received.length === 1);
  await first.kill();
  await using _second = await startServerProcess(setup.environment);
  await receiver.until(() => receiver.received.length === 3);

  const [cut, again, last] = receiver.received;
  expect(receiver.received.map(stateIn)).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
  expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  expect(again?.delivery).toBe(cut?.delivery);
  expect(again?.body).toBe(cut?.body);
  expect(last?.delivery).not.toBe(cut?.delivery);
  expect(receiver.received.every((request) => isSigned(request, "key"))).toBe(true);
});

test("a receiver that was down while the server crashed gets its events later [RFC-03, LOG-01]", async () => {
  await using setup = await openSetup({ DT_PUSH_TIMEOUT_MS: "500" });
  await using receiver = await openPushReceiver();
  await receiver.kill();
  await using first = await startServerProcess(setup.environment);

  const taskId = await prompt(first.url, setup.root, { url: receiver.url, token: "key" });
  await first.log("push failed");
  await first.kill();
  await using second = await startServerProcess(setup.environment);
  await second.log("push failed");
  await receiver.start();
  await receiver.until(() => receiver.accepted().length === 2);
  const params = { taskId, id: taskId };
  const shown = await jsonOf(
    await post(second.url, "GetTaskPushNotificationConfig", params, extensions),
  );

  expect(receiver.accepted().map(stateIn)).toEqual(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
  expect(receiver.received[0]?.attempt).toBeGreaterThan(2);
  expect(shown.result).toMatchObject({ id: taskId, url: receiver.url, token: "key" });
  expect(second.stderr()).not.toContain("/hook");
});

test("a receiver learns that a restart interrupted a turn, even after another restart", async () => {
  await using setup = await openSetup({
    DT_SHUTDOWN_GRACE_MS: "0",
    DT_PUSH_TIMEOUT_MS: "60000",
  });
  await using receiver = await openPushReceiver();
  await using first = await startServerProcess(setup.environment);
  await prompt(first.url, setup.root, { url: receiver.url }, "run sleep 5");
  await receiver.until(() => receiver.received.length === 3);
  receiver.answerWith("hang");
  const client = await connect(first.url);
  const events: SessionEvent[] = [];
  const waiting = receiver.received[2]?.json.statusUpdate;
  const task = await client.openTask(waiting.taskId);
  const call = waiting.status.message.parts[0].data.tool_call_id;
  await task.answer({ toolCallId: call }, "proceed_once");
  for await (const event of task.events()) {
    events.push(event);
    if (event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING") break;
  }
  client.close();

  await first.kill();
  await using second = await startServerProcess(setup.environment);
  await receiver.until(() => receiver.received.some((request) => request.behaviour === "hang"));
  const { code } = await second.stop();
  await using _third = await startServerProcess(setup.environment);
  await receiver.until(() => {
    return receiver.accepted().some((request) => stateIn(request) === "TASK_STATE_FAILED");
  });

  expect(code).toBe(0);
  expect(receiver.accepted().map(stateIn)).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_WORKING",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_WORKING",
    "TASK_STATE_FAILED",
  ]);
});

test("dt-server exits with 2 and one error line if DT_PUSH_ALLOW is wrong", async () => {
  await using setup = await openSetup({ DT_PUSH_ALLOW: "10.0.0.0/8,10.0.0.0/99" });

  const started = startServerProcess(setup.environment);

  await expect(started).rejects.toThrow(
    /^dt-server ended with 2: [^\n]*DT_PUSH_ALLOW[^\n]* got 10.0.0.0\/99\n$/,
  );
});

test("a server with DT_PUSH=off declares no push support and refuses configs", async () => {
  await using setup = await openSetup({ DT_PUSH: "off" });
  await using server = await startServerProcess(setup.environment);

  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text: "say hi" }] };
  const configuration = { taskPushNotificationConfig: { url: "https://example.com/" } };
  const sent = await jsonOf(await post(server.url, "SendMessage", { message, configuration }));
  const card = await jsonOf(await fetch(`${server.url}.well-known/agent-card.json`));

  expect(sent.error.code).toBe(-32003);
  expect(card.capabilities.pushNotifications).toBe(false);
});

test("a repeatedly killed server delivers every event in order and marks repeats [RFC-03, LOG-01]", async () => {
  const report = await provePushes(4, 7);

  expect(report.delivered).toBe(report.events);
});
