import type { Task, TaskStatusUpdateEvent } from "@a2a-js/sdk-0.3";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk-0.3/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { describe, expect, test } from "vitest";
import { openGrpcServer } from "../grpc/grpc-server.js";
import { openSdkClient, readEvents, sendParams } from "./open-sdk-client.js";

/** An address without a listener. Push configs with this address are stored, but every delivery fails. */
const HOOK_URL = "http://127.0.0.1:9/hook";

/** Opens a server whose agent repeats the prompt. For the prompt "ask" it asks a question first. */
const openServer = () =>
  openGrpcServer({
    script: async (turn) => {
      if (turn.text === "ask") await turn.ask(buildQuestion());
      await turn.say(`echo ${turn.text}`);
    },
    push: { allowList: ["127.0.0.1"], retry: { baseMs: 60_000 } },
  });

describe.each(["HTTP+JSON", "GRPC"])("the official A2A client 0.3 over %s", (transport) => {
  test("the client sends a message and gets its task [RFC-01]", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);

    const sent = (await client.sendMessage(sendParams("hello"))) as Task;
    const task = await client.getTask({ id: sent.id, historyLength: 1 });

    expect(sent).toMatchObject({ kind: "task", status: { state: "completed" } });
    expect(sent.artifacts?.[0]?.parts).toEqual([{ kind: "text", text: "echo hello" }]);
    expect(sent.history?.[0]).toMatchObject({
      role: "user",
      parts: [{ kind: "text", text: "hello" }],
    });
    expect([task.id, task.history?.length]).toEqual([sent.id, 1]);
    expect(served.faults).toEqual([]);
  });

  test("the client receives the same events as over JSON-RPC [RFC-02]", async () => {
    await using served = await openServer();
    const summaries = await Promise.all(
      [transport, "JSONRPC"].map(async (each) => {
        const client = await openSdkClient(served.url, each);
        const events = await readEvents(client.sendMessageStream(sendParams("hello")));
        return events.map(summarise);
      }),
    );

    expect(summaries[0]).toEqual(summaries[1]);
    expect(summaries[0]?.at(-1)).toMatchObject({ state: "completed", final: true });
  });

  test("the client receives a question, and the client's answer completes the task [RFC-09]", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);
    const options = { serviceParameters: { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI } };
    const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: served.workspace.root } };

    const asked = await readEvents(
      client.sendMessageStream(sendParams("ask", { metadata }), options),
    );
    const { taskId, contextId, status } = asked.at(-1) as TaskStatusUpdateEvent;
    const { tool_call_id } = Object(status.message?.parts[0]).data;
    const data = { tool_call_id, selected_option_id: "proceed_once" };
    const parts = [{ kind: "data", data }];
    const answered = await readEvents(
      client.sendMessageStream(sendParams("", { parts, taskId, contextId }), options),
    );

    expect(status.state).toBe("input-required");
    expect(answered.at(-1)).toMatchObject({ status: { state: "completed" }, final: true });
  });

  test("the client subscribes to a task and receives its cancellation [LOG-02]", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);

    const waiting = (await client.sendMessage(sendParams("ask"))) as Task;
    const subscription = client.resubscribeTask({ id: waiting.id });
    const { value: first } = await subscription.next();
    const canceled = await client.cancelTask({ id: waiting.id });
    const rest = await readEvents(subscription);

    expect([waiting.status.state, canceled.status.state]).toEqual(["input-required", "canceled"]);
    expect(first).toMatchObject({ status: { state: "input-required" } });
    expect(rest.at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
  });

  test("with blocking: false, the client gets the task, and the turn runs to its end", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);

    const sent = (await client.sendMessage({
      ...sendParams("hello"),
      configuration: { blocking: false },
    })) as Task;

    expect(sent.kind).toBe("task");
    await readEvents(client.resubscribeTask({ id: sent.id }));
    expect((await client.getTask({ id: sent.id })).status.state).toBe("completed");
  });

  test("the client sets, gets, lists and deletes push configs [RFC-03]", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);
    const { id } = (await client.sendMessage(sendParams("hello"))) as Task;
    const address = { id, pushNotificationConfigId: "mine" };
    const authentication = { schemes: ["Bearer"], credentials: "secret" };

    const set = await client.setTaskPushNotificationConfig({
      taskId: id,
      pushNotificationConfig: { id: "mine", url: HOOK_URL, token: "token", authentication },
    });
    const got = await client.getTaskPushNotificationConfig(address);
    const listed = await client.listTaskPushNotificationConfig({ id });
    await client.deleteTaskPushNotificationConfig(address);

    expect(set).toMatchObject({
      taskId: id,
      pushNotificationConfig: { id: "mine", url: HOOK_URL, token: "token" },
    });
    expect([got, listed]).toEqual([set, [set]]);
    expect(await client.listTaskPushNotificationConfig({ id })).toEqual([]);
  });

  test("a push config that is sent with a message is stored for the task of the message [RFC-03]", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);

    const { id } = (await client.sendMessage({
      ...sendParams("hello"),
      configuration: { blocking: true, pushNotificationConfig: { id: "first", url: HOOK_URL } },
    })) as Task;
    const [listed] = await client.listTaskPushNotificationConfig({ id });

    expect(listed?.pushNotificationConfig).toMatchObject({ id: "first", url: HOOK_URL });
  });

  test("a file in a message appears in the history of the task", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);
    const bytes = Buffer.from("content").toString("base64");
    const file = { bytes, mimeType: "text/plain" };
    const parts = [
      { kind: "text", text: "look" },
      { kind: "file", file },
    ];

    const sent = (await client.sendMessage(sendParams("", { parts }))) as Task;

    expect(sent.history?.[0]?.parts[1]).toMatchObject({ kind: "file", file });
  });

  test("the client gets TaskNotFoundError for an unknown task, and cannot cancel an ended task", async () => {
    await using served = await openServer();
    const client = await openSdkClient(served.url, transport);
    const { id } = (await client.sendMessage(sendParams("hello"))) as Task;

    await expect(client.getTask({ id: "no" })).rejects.toThrow(TaskNotFoundError);
    await expect(readEvents(client.resubscribeTask({ id: "no" }))).rejects.toThrow(
      TaskNotFoundError,
    );
    await expect(client.cancelTask({ id })).rejects.toThrow(TaskNotCancelableError);
    expect(served.faults).toEqual([]);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the client's events have four shapes.
function summarise(event: any) {
  const { kind, status, artifact, final } = event;
  return { kind, state: status?.state, parts: (status?.message ?? artifact)?.parts, final };
}
