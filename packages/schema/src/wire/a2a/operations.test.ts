import { expect, test } from "vitest";
import { decodeSendParams, decodeTaskParams, findOperation, METHOD_NAMES } from "./operations.js";
import { V0_3 } from "./v0-3.js";
import { V1_0 } from "./v1-0.js";

const message03 = {
  kind: "message",
  messageId: "m",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};
const message10 = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
const message = { messageId: "m", role: "user", parts: [{ type: "text", text: "hi" }] };

test.each(["0.3", "1.0"] as const)("every method of A2A %s has an operation", (version) => {
  for (const [operation, method] of Object.entries(METHOD_NAMES[version])) {
    expect(findOperation(method, version)).toEqual({ version, operation });
  }
});

test.each([
  ["message/stream", { version: "0.3", operation: "stream" }],
  ["SendStreamingMessage", { version: "1.0", operation: "stream" }],
  ["commands/get", { version: "0.3", operation: "list-commands" }],
  ["tasks/destroy", undefined],
  ["toString", undefined],
])("findOperation for %s without a version returns %j", (method, expected) => {
  expect(findOperation(method, undefined)).toEqual(expected);
});

test("findOperation does not find a method of another version", () => {
  expect(findOperation("message/stream", "1.0")).toBeUndefined();
});

test.each([
  [V0_3, { message: message03 }, { message, returnsImmediately: false }],
  [V1_0, { message: message10 }, { message, returnsImmediately: false }],
  [
    V0_3,
    {
      message: message03,
      configuration: {
        blocking: false,
        historyLength: 0,
        pushNotificationConfig: { url: "http://x" },
      },
    },
    {
      message,
      returnsImmediately: true,
      historyLength: 0,
      pushConfig: { url: "http://x" },
    },
  ],
  [
    V1_0,
    {
      message: message10,
      configuration: {
        returnImmediately: true,
        historyLength: 3,
        taskPushNotificationConfig: { url: "http://x" },
      },
    },
    {
      message,
      returnsImmediately: true,
      historyLength: 3,
      pushConfig: { url: "http://x" },
    },
  ],
])(
  "the parameters of a request to send a message are decoded in A2A $version",
  (spelling, params, expected) => {
    expect(decodeSendParams(params, spelling)).toEqual(expected);
  },
);

test.each([
  [undefined, "params: expected an object"],
  [{}, "message: required"],
  [{ message: 1 }, "message: expected an object"],
  [{ message: message03, configuration: [] }, "configuration: expected an object"],
  [
    { message: message03, configuration: { historyLength: -1 } },
    "configuration.historyLength: expected a whole number of at least 0",
  ],
  [
    { message: message03, configuration: { pushNotificationConfig: { token: "x" } } },
    "configuration.pushNotificationConfig.url: expected a string",
  ],
  [
    { message: message03, configuration: { blocking: "no" } },
    "configuration.blocking: expected true or false",
  ],
])("decodeSendParams refuses %j", (params, reason) => {
  expect(() => decodeSendParams(params, V0_3)).toThrow(reason);
});

test("decodeTaskParams returns the id of the task and the length of the history", () => {
  expect(decodeTaskParams({ id: "t", historyLength: 2 })).toEqual({
    taskId: "t",
    historyLength: 2,
  });
  expect(decodeTaskParams({ id: "t" })).toEqual({ taskId: "t" });
  expect(() => decodeTaskParams({})).toThrow("id: expected a string");
  expect(() => decodeTaskParams({ id: "" })).toThrow("id: required");
});
