import { expect, test } from "vitest";
import { decodeSendParams, decodeTaskParams } from "./operations.js";
import { fromProtoNames } from "./proto-json.js";
import { V1_0 } from "./v1-0.js";

test("a message with the proto's names, numbers and nulls is read", () => {
  const params = {
    tenant: null,
    message: {
      message_id: "m",
      task_id: "t",
      context_id: "c",
      role: 1,
      parts: [
        { text: "hi", raw: null, url: null, data: null, metadata: null },
        { raw: "eA==", media_type: "text/plain", filename: "a.txt" },
        { data: { snake_case: 1 } },
        { data: null },
      ],
      metadata: { snake_case: { more_snakes: 1 } },
      reference_task_ids: ["r"],
    },
    configuration: {
      return_immediately: true,
      history_length: "3",
      task_push_notification_config: { url: "http://a.test", token: null },
    },
  };

  expect(decodeSendParams(params, V1_0)).toEqual({
    message: {
      messageId: "m",
      taskId: "t",
      contextId: "c",
      role: "user",
      parts: [
        { type: "text", text: "hi" },
        { type: "file", bytes: "eA==", mediaType: "text/plain", name: "a.txt" },
        { type: "data", data: { snake_case: 1 } },
        { type: "data", data: null },
      ],
      metadata: { snake_case: { more_snakes: 1 } },
      referenceTaskIds: ["r"],
    },
    returnsImmediately: true,
    historyLength: 3,
    pushConfig: { url: "http://a.test" },
  });
});

test("decodeTaskParams reads a history length with the proto's name, as text", () => {
  expect(decodeTaskParams({ id: "t", history_length: "2" })).toEqual({
    taskId: "t",
    historyLength: 2,
  });
});

test.each([
  [{ message: { messageId: "m", role: 7, parts: [] } }, "message.role: expected a string"],
  [{ message: null }, "message: required"],
  [{ message: "x" }, "message: expected an object"],
  [
    { message: { messageId: "m", role: 1, parts: [{ text: "a", url: "b" }] } },
    "message.parts[0]: expected one of text, data, raw, url",
  ],
  [
    { message: { messageId: "m", role: 1, parts: [{ text: null }] } },
    "message.parts[0]: expected one of text, data, raw, url",
  ],
])("the parameters %j are refused", (params, reason) => {
  expect(() => decodeSendParams(params, V1_0)).toThrow(reason);
});

test.each([
  [{ contextId: "c" }, { contextId: "c" }],
  [
    { context_id: "s", contextId: "c" },
    { context_id: "s", contextId: "c" },
  ],
  [[1], [1]],
  [null, null],
])("fromProtoNames turns %j into %j", (json, expected) => {
  expect(fromProtoNames(json)).toEqual(expected);
});
