import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { V0_3 } from "../v0-3.js";
import { PROTO_V0_3 } from "./proto-v0-3.js";

const GOLDEN = new URL("../../canonical/golden/", import.meta.url);

/** Reads the golden frames of A2A 0.3: of a turn, of the starts of streams, and of every kind of event. */
function readFrames(name: string) {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, GOLDEN), "utf8"));
  const { turn, starts } = read(`v0-3-${name}.json`);
  return [...turn, ...starts, ...read(`v0-3-${name}-events.json`)].flatMap(({ frames }) =>
    frames.map(({ cursor: _, ...frame }: { cursor?: string }) => frame),
  );
}

test.each(["plain", "development-tool", "session"])(
  "every kind of event has a golden form in ProtoJSON, for clients of %s",
  async (name) => {
    const lines = readFrames(name).map((frame) => JSON.stringify(PROTO_V0_3.toFrame(frame)));

    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`golden/proto-v0-3-${name}.jsonl`);
  },
);

const parts = [
  { kind: "text", text: "look", metadata: { a: 1 } },
  { kind: "data", data: { b: [null] } },
  { kind: "file", file: { bytes: "AA==", name: "a.bin", mimeType: "application/octet-stream" } },
  { kind: "file", file: { uri: "https://example.com/a" } },
];
const content = [
  { text: "look", metadata: { a: 1 } },
  { data: { data: { b: [null] } } },
  { file: { fileWithBytes: "AA==", name: "a.bin", mimeType: "application/octet-stream" } },
  { file: { fileWithUri: "https://example.com/a" } },
];
const message = {
  messageId: "m",
  contextId: "c",
  taskId: "t",
  metadata: {},
  extensions: ["urn:x"],
};

test("a message survives the conversion from JSON to ProtoJSON and back", () => {
  const json = { ...message, kind: "message", role: "user", parts };
  const proto = { ...message, role: "ROLE_USER", content };

  expect(PROTO_V0_3.toFrame(json)).toEqual({ message: proto });
  expect(PROTO_V0_3.fromSend({ message: proto })).toEqual({ message: json });
  expect(V0_3.decodeMessage(json, "message").parts).toHaveLength(4);
});

test("the proto's own names and the numbers of enums are read", () => {
  const params = PROTO_V0_3.fromSend({
    request: { message_id: "m", context_id: "c", role: 1, content: [{ text: "" }] },
    configuration: { push_notification: { url: "https://x" }, history_length: "2", blocking: true },
  });

  expect(params).toEqual({
    message: {
      messageId: "m",
      contextId: "c",
      kind: "message",
      role: "user",
      parts: [{ kind: "text", text: "" }],
    },
    configuration: {
      blocking: true,
      historyLength: 2,
      pushNotificationConfig: { url: "https://x" },
    },
  });
});

test("absent values of a configuration have the defaults of protobuf", () => {
  const message = { messageId: "m", role: "ROLE_USER", content: [] };

  expect(PROTO_V0_3.fromSend({ message, configuration: { historyLength: 0 } })).toMatchObject({
    configuration: { blocking: false },
  });
  expect(PROTO_V0_3.fromSend({ message, configuration: null })).not.toHaveProperty("configuration");
});

test("states are encoded with the proto's names, and cancelled has two l", () => {
  const stateOf = (state: string) =>
    PROTO_V0_3.toResult("get", { kind: "task", id: "t", contextId: "c", status: { state } });

  expect(stateOf("canceled")).toMatchObject({ status: { state: "TASK_STATE_CANCELLED" } });
  expect(stateOf("auth-required")).toMatchObject({ status: { state: "TASK_STATE_AUTH_REQUIRED" } });
  expect(stateOf("unknown")).toEqual({ id: "t", contextId: "c", status: {} });
});

test("a filter by state is read with the proto's name of the state", () => {
  expect(PROTO_V0_3.fromList({ status: "TASK_STATE_CANCELLED", pageSize: 1 })).toEqual({
    status: "canceled",
    pageSize: 1,
  });
  expect(PROTO_V0_3.fromList({ status: "TASK_STATE_INPUT_REQUIRED" })).toEqual({
    status: "input-required",
  });
  expect(PROTO_V0_3.fromList({ status: "other" })).toEqual({ status: "other" });
});

test("a push config is read from a config, and from the request of the gRPC method", () => {
  const config = { url: "https://x", authentication: { schemes: ["Bearer"] } };
  const named = { name: "tasks/t/pushNotificationConfigs/c", push_notification_config: config };

  expect(PROTO_V0_3.fromTaskConfig(named, "t")).toEqual({
    taskId: "t",
    pushNotificationConfig: config,
  });
  expect(PROTO_V0_3.fromTaskConfig({ config: named, config_id: "c" }, "t")).toEqual({
    taskId: "t",
    pushNotificationConfig: { ...config, id: "c" },
  });
});

test("the name of a push config contains the id of the task and the id of the config", () => {
  const pushNotificationConfig = { id: "c", url: "https://x" };
  const json = { taskId: "t", pushNotificationConfig };
  const proto = { name: "tasks/t/pushNotificationConfigs/c", pushNotificationConfig };

  expect(PROTO_V0_3.toResult("get-push-config", json)).toEqual(proto);
  expect(PROTO_V0_3.toResult("list-push-configs", [json])).toEqual({ configs: [proto] });
  expect(PROTO_V0_3.toResult("delete-push-config", null)).toEqual({});
});

const part = (json: unknown) => ({ message: { role: "ROLE_USER", content: [json] } });

test.each([
  ["params: expected an object", []],
  ["message: required", { message: null }],
  ["message.content: required", { message: { role: "ROLE_USER", parts: [] } }],
  ["message.role: expected ROLE_USER or ROLE_AGENT", { message: { content: [] } }],
  ["message.content[0]: expected an object", part(null)],
  ["message.content[0]: expected one of text, file, data", part({ text: "a", data: {} })],
  ["message.content[0].text: expected a string", part({ text: 1 })],
  ["message.content[0].data.data: expected an object", part({ data: { data: [] } })],
  ["message.content[0].file: expected either fileWithBytes or fileWithUri", part({ file: {} })],
  [
    "message.content[0].file.fileWithBytes: expected base64",
    part({ file: { fileWithBytes: "!" } }),
  ],
])("wrong parameters are refused with %j", (reason, params) => {
  expect(() => PROTO_V0_3.fromSend(params)).toThrow(reason);
});
