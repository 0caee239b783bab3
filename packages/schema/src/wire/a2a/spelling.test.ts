import { Message, StreamResponse, Task } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arbitraryA2aMessage,
  arbitraryA2aTask,
  arbitraryFrame,
} from "../../testing/arbitrary/arbitrary-a2a.js";
import type { A2aMessage } from "./a2a.js";
import { V0_3 } from "./v0-3.js";
import { V1_0 } from "./v1-0.js";

describe.each([V0_3, V1_0])("A2A $version", (spelling) => {
  const { version } = spelling;

  test("a frame that is encoded and decoded is the same frame", () => {
    fc.assert(
      fc.property(arbitraryFrame(version), (frame) => {
        expect(spelling.decodeFrame(overTheWire(spelling.encodeFrame(frame)), "")).toEqual(frame);
      }),
      { numRuns: 200 },
    );
  });

  test("a message that is encoded and decoded is the same message", () => {
    fc.assert(
      fc.property(arbitraryA2aMessage(version), (message) => {
        const json = overTheWire(spelling.encodeMessage(message));

        expect(spelling.decodeMessage(json, "")).toEqual(message);
      }),
    );
  });

  test("a task that is encoded and decoded is the same task", () => {
    fc.assert(
      fc.property(arbitraryA2aTask(version), (task) => {
        expect(spelling.decodeTask(overTheWire(spelling.encodeTask(task)), "")).toEqual(task);
      }),
    );
  });

  test("a file with empty content survives encoding and decoding", () => {
    const message: A2aMessage = {
      messageId: "m",
      role: "user",
      parts: [{ type: "file", bytes: "", name: "empty.txt" }],
    };

    expect(spelling.decodeMessage(spelling.encodeMessage(message), "")).toEqual(message);
  });

  test("a field that is null or an empty string is decoded as a missing field", () => {
    const message: A2aMessage = { messageId: "m", role: "agent", parts: [] };
    const json = {
      ...spelling.encodeMessage(message),
      parts: [],
      taskId: null,
      contextId: "",
      metadata: null,
      extensions: null,
    };

    expect(spelling.decodeMessage(json, "")).toEqual(message);
  });
});

test("the official SDK accepts our A2A 1.0 frames and returns them unchanged", () => {
  fc.assert(
    fc.property(arbitraryFrame("1.0"), (frame) => {
      const json = overTheWire(V1_0.encodeFrame(frame));

      expect(StreamResponse.toJSON(StreamResponse.fromJSON(json))).toEqual(json);
    }),
    { numRuns: 200 },
  );
});

test("the official SDK accepts our A2A 1.0 messages and tasks and returns them unchanged", () => {
  fc.assert(
    fc.property(arbitraryA2aMessage("1.0"), arbitraryA2aTask("1.0"), (message, task) => {
      const messageJson = overTheWire(V1_0.encodeMessage(message));
      const taskJson = overTheWire(V1_0.encodeTask(task));

      expect(Message.toJSON(Message.fromJSON(messageJson))).toEqual(messageJson);
      expect(Task.toJSON(Task.fromJSON(taskJson))).toEqual(taskJson);
    }),
  );
});

const text = { kind: "text", text: "hi" };
const message03 = { kind: "message", messageId: "m", role: "user", parts: [text] };
const update03 = {
  kind: "status-update",
  taskId: "t",
  contextId: "c",
  status: { state: "working" },
};

describe("refusals in A2A 0.3", () => {
  test.each<[string, unknown, string]>([
    ["text instead of a frame", "x", "result: expected an object"],
    [
      "a frame without a kind",
      {},
      "result.kind: expected task, message, status-update or artifact-update",
    ],
    ["parts that are text", { ...message03, parts: "x" }, "result.parts: expected a list"],
    ["a message without parts", { ...message03, parts: undefined }, "result.parts: required"],
    [
      "a part without kind",
      { ...message03, parts: [{ text: "x" }] },
      "result.parts[0].kind: expected text, data or file",
    ],
    [
      "a text part without text",
      { ...message03, parts: [text, { kind: "text" }] },
      "result.parts[1].text: expected a string",
    ],
    [
      "a data part without an object",
      { ...message03, parts: [{ kind: "data", data: [] }] },
      "result.parts[0].data: expected an object",
    ],
    [
      "a file without bytes and uri",
      { ...message03, parts: [{ kind: "file", file: {} }] },
      "result.parts[0].file: expected either bytes or a uri",
    ],
    [
      "a file with both bytes and uri",
      { ...message03, parts: [{ kind: "file", file: { bytes: "", uri: "http://x" } }] },
      "result.parts[0].file: expected either bytes or a uri",
    ],
    [
      "bytes that are not a string",
      { ...message03, parts: [{ kind: "file", file: { bytes: 1 } }] },
      "result.parts[0].file.bytes: expected a string",
    ],
    ["a message without an id", { ...message03, messageId: "" }, "result.messageId: required"],
    [
      "a role of A2A 1.0",
      { ...message03, role: "ROLE_USER" },
      "result.role: expected user or agent",
    ],
    [
      "an extension that is not a string",
      { ...message03, extensions: ["x", 1] },
      "result.extensions[1]: expected a string",
    ],
    [
      "metadata that is a list",
      { ...message03, metadata: [] },
      "result.metadata: expected an object",
    ],
    [
      "a state of A2A 1.0",
      { ...update03, status: { state: "TASK_STATE_WORKING" } },
      "result.status.state: expected one of submitted, working, input-required, completed, failed, canceled, rejected, auth-required, unknown",
    ],
    [
      "an update without a status",
      { ...update03, status: undefined },
      "result.status: expected an object",
    ],
    [
      "a field `final` that is text",
      { ...update03, final: "yes" },
      "result.final: expected true or false",
    ],
    [
      "a history that is not a list",
      { kind: "task", id: "t", contextId: "c", status: { state: "working" }, history: {} },
      "result.history: expected a list",
    ],
    [
      "a wrong message in a history",
      {
        kind: "task",
        id: "t",
        contextId: "c",
        status: { state: "working" },
        history: [message03, { ...message03, role: "x" }],
      },
      "result.history[1].role: expected user or agent",
    ],
  ])("decodeFrame refuses %s", (_, json, message) => {
    expect(() => V0_3.decodeFrame(json, "result")).toThrow(
      expect.objectContaining({ code: "invalid-message", message }),
    );
  });
});

describe("refusals in A2A 1.0", () => {
  const message10 = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
  test.each<[string, unknown, string]>([
    [
      "an unknown frame",
      { other: {} },
      "result: expected one of task, message, statusUpdate, artifactUpdate",
    ],
    [
      "a role of A2A 0.3",
      { message: { ...message10, role: "user" } },
      "result.message.role: expected ROLE_USER or ROLE_AGENT",
    ],
    [
      "a part of two kinds",
      { message: { ...message10, parts: [{ text: "a", url: "b" }] } },
      "result.message.parts[0]: expected one of text, data, raw, url",
    ],
    [
      "a part without a kind",
      { message: { ...message10, parts: [{ filename: "b" }] } },
      "result.message.parts[0]: expected one of text, data, raw, url",
    ],
    [
      "an empty address",
      { message: { ...message10, parts: [{ url: "" }] } },
      "result.message.parts[0].url: required",
    ],
    [
      "a state of A2A 0.3",
      { statusUpdate: { taskId: "t", contextId: "c", status: { state: "working" } } },
      "result.statusUpdate.status.state: expected one of TASK_STATE_SUBMITTED",
    ],
    [
      "an update without a task",
      { statusUpdate: { contextId: "c", status: {} } },
      "result.statusUpdate.taskId: expected a string",
    ],
    [
      "an artifact without an id",
      { artifactUpdate: { taskId: "t", contextId: "c", artifact: {} } },
      "result.artifactUpdate.artifact.artifactId: expected a string",
    ],
  ])("decodeFrame refuses %s", (_, json, message) => {
    expect(() => V1_0.decodeFrame(json, "result")).toThrow(message);
  });

  test("data may be any JSON, not only an object", () => {
    const json = { messageId: "m", role: "ROLE_AGENT", parts: [{ data: [1, null] }] };

    expect(V1_0.encodeMessage(V1_0.decodeMessage(json, ""))).toEqual(json);
  });
});

describe("bytes of a file", () => {
  const read = (bytes: string) =>
    V1_0.decodeMessage({ messageId: "m", role: "ROLE_USER", parts: [{ raw: bytes }] }, "message");

  test.each(["", "aGk=", "aGk", "-_-_", "+/+/", "AA=="])(
    "the bytes of a file can be %j",
    (bytes) => {
      expect(read(bytes).parts).toEqual([{ type: "file", bytes }]);
    },
  );

  test.each(["!!!notbase64", "aGk=aGk=", "aGk==", "a", "aG\nk=", "="])(
    "the bytes of a file cannot be %j",
    (bytes) => {
      expect(() => read(bytes)).toThrow("message.parts[0].raw: expected base64");
    },
  );
});

test("A2A 1.0 decodes a status without a state as unknown", () => {
  const frame = V1_0.decodeFrame({ task: { id: "t", contextId: "c", status: {} } }, "");

  expect(frame).toEqual({
    type: "task",
    task: { id: "t", contextId: "c", status: { state: "unknown" } },
  });
});

test("only A2A 0.3 marks an update as final", () => {
  const frame = {
    type: "status-update",
    taskId: "t",
    contextId: "c",
    status: { state: "completed" },
    isFinal: true,
  } as const;

  expect(V0_3.encodeFrame(frame)).toMatchObject({ final: true, status: { state: "completed" } });
  expect(V1_0.encodeFrame(frame)).toEqual({
    statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } },
  });
});

function overTheWire(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}
