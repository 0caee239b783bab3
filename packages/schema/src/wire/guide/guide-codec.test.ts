/// <reference types="node" />
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../event/agent-event.js";
import { buildEvent } from "../../testing/build-event.js";
import type { JsonObject } from "../../validation/message-json.js";
import { parseRpcRequest } from "../json-rpc.js";
import { encodeGuideFrame } from "./guide-frame-codec.js";
import { decodeGuideMessage } from "./guide-message-codec.js";

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
  // A file that does not have this shape fails the tests below.
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
  "the frame $name is written to the byte [CLI-09] [CLI-11]",
  ({ guideEvent, guideFrame }) => {
    expect(JSON.stringify(encodeGuideFrame(guideEvent))).toBe(JSON.stringify(guideFrame));
  },
);

test.each(requests)("the request $name is read [CLI-08]", ({ guideRequest, guideMessage }) => {
  const { params } = parseRpcRequest(guideRequest);

  expect(decodeGuideMessage(params)).toEqual(guideMessage);
});

test("why a turn failed, and that prompts wait, are lines of the console", () => {
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
])("$kind is nothing that the guide speaks of", (event) => {
  expect(encodeGuideFrame(event)).toBeUndefined();
});

test("the id of a message is kept, so that a retry is the same message [LOG-05]", () => {
  expect(decodeGuideMessage({ message: { messageId: "m", content: { text: "hi" } } })).toEqual({
    messageId: "m",
    type: "prompt",
    parts: [{ type: "text", text: "hi" }],
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
])("%j is refused with the path of the fault", (params, reason) => {
  expect(() => decodeGuideMessage(params)).toThrow(reason);
});
