/// <reference types="node" />
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../event/agent-event.js";
import { reduceTaskView } from "../../event/reduce-task-view.js";
import { emptyTaskView } from "../../event/task-view.js";
import { buildEvent } from "../../testing/build-event.js";
import { buildQuestion } from "../../testing/build-tool-call.js";
import type { JsonObject } from "../../validation/message-json.js";
import { parseRpcRequest } from "../json-rpc.js";
import { encodeGuideFrame } from "./guide-frame-codec.js";
import { decodeGuideMessage, isGuideParams } from "./guide-message-codec.js";
import { encodeGuideResult } from "./guide-result-codec.js";
import { decodeGuideTask } from "./guide-task-codec.js";

interface GuideGolden {
  readonly name: string;
  readonly guideEvent?: SessionEvent;
  readonly guideFrame?: JsonObject;
  readonly guideRequest?: JsonObject;
  readonly guideMessage?: JsonObject;
}

const folder = new URL("../../testing/golden/", import.meta.url);
const goldens = readdirSync(folder)
  .filter((file) => file.startsWith("guide-"))
  // The cast is not checked. A file with other fields fails the tests below.
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as GuideGolden);
const frames = goldens.flatMap(({ name, guideEvent, guideFrame }) =>
  guideEvent && guideFrame ? [{ name, guideEvent, guideFrame }] : [],
);
const requests = goldens.flatMap(({ name, guideRequest, guideMessage }) =>
  guideRequest && guideMessage ? [{ name, guideRequest, guideMessage }] : [],
);

test("every golden file of the guide is a frame or a request", () => {
  expect(frames.length + requests.length).toBe(goldens.length);
  expect(frames.map(({ guideFrame }) => guideFrame.kind)).toEqual(
    expect.arrayContaining(["THOUGHT", "TEXT_CONTENT", "TOOL_CALL_UPDATE", "CONSOLE_LOG"]),
  );
});

test.each(frames)(
  "the event $name becomes exactly its golden frame [CLI-09] [CLI-11]",
  ({ guideEvent, guideFrame }) => {
    expect(JSON.stringify(encodeGuideFrame(guideEvent))).toBe(JSON.stringify(guideFrame));
  },
);

test.each(requests)("the request $name is decoded [CLI-08]", ({ guideRequest, guideMessage }) => {
  const { params } = parseRpcRequest(guideRequest);

  expect(decodeGuideMessage(params)).toEqual(guideMessage);
});

test("the options of a question have the guide's names", () => {
  const frame = encodeGuideFrame(
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() }),
  );

  expect(frame).toMatchObject({
    confirmation_request: {
      options: [
        { id: "proceed_once", name: "Allow Once" },
        { id: "proceed_always", name: "Always allow" },
        { id: "cancel", name: "Cancel" },
      ],
    },
  });
});

test("the queue and the error of a turn are encoded as console lines", () => {
  const failed = buildEvent({ kind: "STATE_CHANGE" }, { state: "failed", error: "no more tokens" });
  const queued = buildEvent({
    kind: "QUEUE",
    prompts: [{ messageId: "m", text: "next", origin: undefined }],
  });

  const logs = [failed, queued].map(encodeGuideFrame);

  expect(logs).toEqual([
    { kind: "CONSOLE_LOG", type: "error", content: "no more tokens", taskId: "task-1" },
    { kind: "CONSOLE_LOG", type: "info", content: "1 prompt waits", taskId: "task-1" },
  ]);
});

test.each([
  buildEvent({ kind: "STATE_CHANGE" }),
  buildEvent({ kind: "QUEUE", prompts: [] }),
  buildEvent({ kind: "CITATION", citation: { uri: "https://a.example", title: "A" } }),
])("an event of kind $kind has no frame in the guide's dialect", (event) => {
  expect(encodeGuideFrame(event)).toBeUndefined();
});

test("the ids of message and task are kept, so that a retry is the same message [LOG-05]", () => {
  const message = { messageId: "m", taskId: "t", content: { text: "hi" } };

  expect(decodeGuideMessage({ message })).toEqual({
    messageId: "m",
    taskId: "t",
    type: "prompt",
    parts: [{ type: "text", text: "hi" }],
  });
});

test.each([
  [{ message: { content: { text: "hi" } } }, true],
  [{ message: { content: {} } }, true],
  [{ message: { content: [{ text: "hi" }] } }, false],
  [{ message: { parts: [], content: { text: "hi" } } }, false],
  [{ message: { parts: [] } }, false],
  [{ message: "hi" }, false],
  [undefined, false],
])("isGuideParams of %j is %s", (params, isGuides) => {
  expect(isGuideParams(params)).toBe(isGuides);
});

test.each([
  [{}, { isBareId: false }],
  [
    { contextId: "c", agentSettings: { workspaceRoot: "/work", model: "m", apiKey: "k" } },
    { isBareId: false, workspacePath: "/work" },
  ],
  [
    { agentSettings: { kind: "agent-settings", workspacePath: "/work" } },
    { isBareId: true, workspacePath: "/work" },
  ],
])("the task request %j is decoded [CLI-06]", (body, request) => {
  expect(decodeGuideTask(body)).toEqual(request);
});

test("the reply to a message has the turn's text, questions and error [CLI-07]", () => {
  const question = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() });
  const events = [
    buildEvent({ kind: "TEXT_CONTENT", text: "one" }),
    buildEvent({ kind: "THOUGHT", thought: { subject: "s", description: "d" } }),
    buildEvent({ kind: "TEXT_CONTENT", text: "two" }),
    question,
    buildEvent({ kind: "STATE_CHANGE" }, { state: "input-required", error: "it broke" }),
  ];

  const view = events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));

  expect(encodeGuideResult(view)).toEqual({
    taskId: "task-1",
    state: "input-required",
    content: { text: "one\ntwo" },
    confirmations: [encodeGuideFrame(question)],
    error: "it broke",
  });
  expect(encodeGuideResult(emptyTaskView("task-1", "context-1"))).toEqual({
    taskId: "task-1",
    state: "submitted",
    content: { text: "" },
  });
});

test.each([
  [undefined, "params: expected an object"],
  [{}, "message: expected an object"],
  [{ message: { parts: [] } }, "message.content: expected an object"],
  [{ message: { content: {} } }, "message.content: expected either text or data"],
  [{ message: { content: { text: 5 } } }, "message.content.text: expected a string"],
  [
    { message: { content: { text: "hi", data: {} } } },
    "message.content: expected either text or data",
  ],
  [
    { message: { content: { data: { kind: "TEXT_CONTENT" } } } },
    "message.content.data.kind: expected TOOL_CALL_CONFIRMATION",
  ],
  [
    { message: { content: { data: { selected_option_id: "cancel" } } } },
    "message.content.data.tool_call_id: required",
  ],
])("the parameters %j are refused with the path of the fault", (params, reason) => {
  expect(() => decodeGuideMessage(params)).toThrow(reason);
});
