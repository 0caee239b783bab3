import { readFileSync } from "node:fs";
import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { ProtocolError } from "@dt/schema";
import { PROTO_V0_3, spellings } from "@dt/schema/wire";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { GRPC_V0_3 } from "./grpc-v0-3.js";
import { fromSendRequest } from "./sdk-messages-v0-3.js";

const GOLDEN = new URL("../../../../schema/src/wire/canonical/golden/", import.meta.url);

/** Reads the golden frames of A2A 0.3: of a turn, of the starts of streams, and of every kind of event. */
function readFrames(name: string): { readonly kind: string }[] {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, GOLDEN), "utf8"));
  const { turn, starts } = read(`v0-3-${name}.json`);
  return [...turn, ...starts, ...read(`v0-3-${name}-events.json`)].flatMap(({ frames }) =>
    frames.map(({ cursor: _, ...frame }: { cursor?: string }) => frame),
  );
}

const methodOf = (operation: string) =>
  GRPC_V0_3.methods.find((method) => method.operation === operation);

test.each(["plain", "development-tool", "session"])(
  "the SDK decodes the frames of every kind of event in the golden files v0-3-%s",
  (name) => {
    const frames = readFrames(name);

    const decoded = frames.map((frame) => {
      const bytes = GRPC_V0_3.encodeFrame(frame);
      const { payload } = LegacyA2AService.taskSubscription.responseDeserialize(bytes);
      return { kind: payload?.$case, value: payload?.value };
    });

    expect(frames.length).toBeGreaterThan(20);
    expect(decoded.map(({ kind }) => kind)).toEqual(frames.map(({ kind }) => CASES[kind]));
    // Protobuf must not change the metadata, which contains the events of the extensions.
    expect(JSON.parse(JSON.stringify(decoded.map(({ value }) => value?.metadata)))).toEqual(
      JSON.parse(JSON.stringify(frames.map((frame) => Object(frame).metadata))),
    );
  },
);

const CASES: Readonly<Record<string, string>> = {
  task: "task",
  message: "msg",
  "status-update": "statusUpdate",
  "artifact-update": "artifactUpdate",
};

test("a message has the same parts after protobuf encoding and decoding", () => {
  const parts = [
    { kind: "text", text: "look" },
    { kind: "data", data: { a: [1, null] } },
    { kind: "file", file: { bytes: "AA==", mimeType: "image/png" } },
    { kind: "file", file: { uri: "https://example.com/a" } },
  ];
  const message = { kind: "message", messageId: "m", role: "user", parts };

  const bytes = GRPC_V0_3.encodeFrame(message);
  const { payload } = LegacyA2AService.sendStreamingMessage.responseDeserialize(bytes);
  const request = { request: payload?.value, configuration: undefined, metadata: undefined };
  const params = PROTO_V0_3.fromSend(fromSendRequest(request as never));

  const { decodeMessage } = spellings["0.3"];
  expect(decodeMessage(params.message, "")).toEqual(decodeMessage(message, ""));
});

test("the resource name of a task or a push config is decoded, and other names are refused", () => {
  const name = "tasks/t/pushNotificationConfigs/c";
  const get = LegacyA2AService.getTask.requestSerialize;
  const config = LegacyA2AService.getTaskPushNotificationConfig.requestSerialize({ name });

  expect(methodOf("get")?.decodeParams(get({ name: "tasks/t", historyLength: 2 }))).toEqual({
    id: "t",
    historyLength: 2,
  });
  expect(methodOf("get-push-config")?.decodeParams(config)).toEqual({
    id: "t",
    pushNotificationConfigId: "c",
  });
  expect(() => methodOf("get")?.decodeParams(get({ name: "t", historyLength: 0 }))).toThrow(
    "name: expected tasks/{id}",
  );
});

test("an unsupported operation has the status UNIMPLEMENTED, as in the SDK of A2A 0.3", () => {
  const codeOf = (code: "push-not-supported" | "unsupported-operation" | "task-not-found") =>
    status[GRPC_V0_3.toStatus(new ProtocolError(code, "no")).code];

  expect(codeOf("push-not-supported")).toBe("UNIMPLEMENTED");
  expect(codeOf("unsupported-operation")).toBe("UNIMPLEMENTED");
  expect(codeOf("task-not-found")).toBe("NOT_FOUND");
});
