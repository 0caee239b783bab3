import { randomUUID } from "node:crypto";
import { ClientFactory } from "@a2a-js/sdk/client";
import { A2AClient } from "@a2a-js/sdk-0.3/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { post, type RawEvent, readStream } from "./support/raw-rpc.js";

// These tests run the example of the RFC's Appendix A. Each row below is one event: kind, state and content.

const firstStream = [
  ["STATE_CHANGE", "working", undefined],
  ["TOOL_CALL_UPDATE", "working", "write_file PENDING asks"],
  ["STATE_CHANGE", "input-required", "write_file PENDING asks"],
];
const secondStream = [
  ["TOOL_CALL_UPDATE", "working", "write_file EXECUTING"],
  ["TOOL_CALL_UPDATE", "working", "write_file SUCCEEDED"],
  ["TEXT_CONTENT", "working", "done"],
  ["STATE_CHANGE", "completed", undefined],
];
const continuedStream = [
  ["STATE_CHANGE", "working", undefined],
  ["TEXT_CONTENT", "working", "again"],
  ["STATE_CHANGE", "completed", undefined],
];

const PROMPT = "write hello.txt: hello then say done";

/** Converts a status update of either A2A version to a row of the lists above. */
// biome-ignore lint/suspicious/noExplicitAny: the update has the shape of one of two versions.
function toRow(update: any): unknown[] {
  const [part] = update.status.message?.parts ?? [];
  const call = part?.data;
  const content =
    call === undefined
      ? part?.text
      : [call.tool_name, call.status, ...(call.confirmation_request ? ["asks"] : [])].join(" ");
  const state = update.status.state.replace("TASK_STATE_", "").replace("_", "-").toLowerCase();
  return [update.metadata[DEVELOPMENT_TOOL_URI].kind, state, content];
}

test("the events of Appendix A arrive in order over A2A 0.3, and a prompt continues the ended task [RFC-01, RFC-02, RFC-09, RFC-10, RFC-14, RFC-17, RFC-18, RFC-19, RFC-26, RFC-27]", async () => {
  await using stage = await openStage();
  const send = async (message: object) =>
    await readStream(
      await post(stage.url, "message/stream", {
        message: { kind: "message", role: "user", messageId: randomUUID(), ...message },
      }),
    );
  const updates = (events: readonly RawEvent[]) =>
    events.map(({ json }) => json.result).filter((result) => result.kind === "status-update");

  const first = await send({
    parts: [{ kind: "text", text: PROMPT }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
  });
  const task = first[0]!.json.result;
  const question = updates(first)[1].status.message.parts[0].data;
  const second = await send({
    taskId: task.id,
    contextId: task.contextId,
    parts: [
      {
        kind: "data",
        data: { tool_call_id: question.tool_call_id, selected_option_id: "proceed_once" },
      },
    ],
    metadata: { [DEVELOPMENT_TOOL_URI]: { kind: "TOOL_CALL_CONFIRMATION" } },
  });
  const third = await send({
    taskId: task.id,
    contextId: task.contextId,
    parts: [{ kind: "text", text: "say again" }],
    extensions: [DEVELOPMENT_TOOL_URI],
  });

  expect(task).toMatchObject({ kind: "task", status: { state: "submitted" } });
  expect(updates(first).map(toRow)).toEqual(firstStream);
  expect(updates(first).map((update) => update.final)).toEqual([false, false, true]);
  expect(second).toHaveLength(4);
  expect(updates(second).map(toRow)).toEqual(secondStream);
  expect(updates(second).map((update) => update.final)).toEqual([false, false, false, true]);
  expect(third).toHaveLength(3);
  expect(updates(third).map(toRow)).toEqual(continuedStream);
  expect(new Set(updates(third).map((update) => update.taskId))).toEqual(new Set([task.id]));
  expect(await stage.workspace.read("hello.txt")).toBe("hello");
  expect(stage.faults).toEqual([]);
});

test("the events of Appendix A arrive in order over A2A 1.0, and the next prompt starts a new task [RFC-26, RFC-27]", async () => {
  await using stage = await openStage();
  const send = async (message: object) =>
    (
      await readStream(
        await post(
          stage.url,
          "SendStreamingMessage",
          { message: { role: "ROLE_USER", messageId: randomUUID(), ...message } },
          { "A2A-Version": "1.0", "A2A-Extensions": DEVELOPMENT_TOOL_URI },
        ),
      )
    ).map(({ json }) => json.result);

  const first = await send({
    parts: [{ text: PROMPT }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
  });
  const { task } = first[0];
  const question = first[2].statusUpdate.status.message.parts[0].data;
  const second = await send({
    taskId: task.id,
    contextId: task.contextId,
    parts: [{ data: { tool_call_id: question.tool_call_id, selected_option_id: "proceed_once" } }],
  });
  const refused = await post(
    stage.url,
    "SendStreamingMessage",
    {
      message: {
        role: "ROLE_USER",
        messageId: randomUUID(),
        taskId: task.id,
        parts: [{ text: "say again" }],
      },
    },
    { "A2A-Version": "1.0", "A2A-Extensions": DEVELOPMENT_TOOL_URI },
  );
  const third = await send({ contextId: task.contextId, parts: [{ text: "say again" }] });

  expect(first[0].task.status.state).toBe("TASK_STATE_SUBMITTED");
  expect(first.slice(1).map(({ statusUpdate }) => toRow(statusUpdate))).toEqual(firstStream);
  expect(second[0].task).toMatchObject({ id: task.id, status: { state: "TASK_STATE_WORKING" } });
  expect(second.slice(1).map(({ statusUpdate }) => toRow(statusUpdate))).toEqual(secondStream);
  expect(await refused.json()).toMatchObject({ error: { code: -32004 } });
  expect(third[0].task.contextId).toBe(task.contextId);
  expect(third[0].task.id).not.toBe(task.id);
  expect(third.slice(1).map(({ statusUpdate }) => toRow(statusUpdate))).toEqual(continuedStream);
});

test("the official SDK client 1.3.0 can run the example of Appendix A [RFC-26]", async () => {
  await using stage = await openStage();
  const client = await new ClientFactory().createFromUrl(stage.url);
  const collect = async (message: object) => {
    const results = [];
    const request = { message: { messageId: randomUUID(), role: 1, ...message } } as never;
    for await (const event of client.sendMessageStream(request)) results.push(event.payload);
    return results;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
  const brief = ({ value }: any) => {
    const [part] = value.status.message?.parts ?? [];
    const content = part?.content?.value;
    return [
      value.metadata[DEVELOPMENT_TOOL_URI].kind,
      typeof content === "object" ? `${content.tool_name} ${content.status}` : content,
    ];
  };

  const first = await collect({
    parts: [{ content: { $case: "text", value: PROMPT } }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
  const [task, , asking] = first as any[];
  const question = asking.value.status.message.parts[0].content.value;
  const second = await collect({
    taskId: task.value.id,
    contextId: task.value.contextId,
    parts: [
      {
        content: {
          $case: "data",
          value: { tool_call_id: question.tool_call_id, selected_option_id: "proceed_once" },
        },
      },
    ],
    extensions: [DEVELOPMENT_TOOL_URI],
  });

  expect(task.$case).toBe("task");
  expect(first.slice(1).map(brief)).toEqual([
    ["STATE_CHANGE", undefined],
    ["TOOL_CALL_UPDATE", "write_file PENDING"],
    ["STATE_CHANGE", "write_file PENDING"],
  ]);
  expect(second.slice(1).map(brief)).toEqual([
    ["TOOL_CALL_UPDATE", "write_file EXECUTING"],
    ["TOOL_CALL_UPDATE", "write_file SUCCEEDED"],
    ["TEXT_CONTENT", "done"],
    ["STATE_CHANGE", undefined],
  ]);
});

test("the official SDK client 0.3 can run the example of Appendix A [RFC-26, RFC-27]", async () => {
  await using stage = await openStage();
  const client = await A2AClient.fromCardUrl(`${stage.url}.well-known/agent-card.json`);
  const collect = async (message: object) => {
    const results = [];
    const request = {
      message: { kind: "message", messageId: randomUUID(), role: "user", ...message },
    } as never;
    for await (const event of client.sendMessageStream(request)) results.push(event);
    return results;
  };

  const first = await collect({
    parts: [{ kind: "text", text: PROMPT }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
  const [task, , asking] = first as any[];
  const question = asking.status.message.parts[0].data;
  const second = await collect({
    taskId: task.id,
    contextId: task.contextId,
    parts: [
      {
        kind: "data",
        data: { tool_call_id: question.tool_call_id, selected_option_id: "proceed_once" },
      },
    ],
    extensions: [DEVELOPMENT_TOOL_URI],
  });
  const third = await collect({
    taskId: task.id,
    contextId: task.contextId,
    parts: [{ kind: "text", text: "say again" }],
    extensions: [DEVELOPMENT_TOOL_URI],
  });

  expect(task.status.state).toBe("submitted");
  expect(first.slice(1).map(toRow)).toEqual(firstStream);
  expect(second.map(toRow)).toEqual(secondStream);
  expect(third.map(toRow)).toEqual(continuedStream);
});
