import { DEFAULT_EXTENSION_URIS, emptyTaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { type A2aMessage, encodeEventFrame } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { createFrameReader } from "./frame-reader.js";

const uris = DEFAULT_EXTENSION_URIS;
const status = { state: "working" as const, timestamp: "2026-01-01T00:00:00.000Z" };
const parts = [{ type: "text" as const, text: "x" }];
const ids = { id: "t", contextId: "c" };
const message = (messageId: string, metadata?: A2aMessage["metadata"]): A2aMessage => ({
  messageId,
  role: "user",
  parts,
  ...(metadata !== undefined && { metadata }),
});
const artifact = (artifactId: string) => ({ artifactId, parts });

test("answers in a task's history are left out, and prompts are kept", () => {
  const reader = createFrameReader(uris);
  const history = [
    message("prompt"),
    message("answer", { [uris.developmentTool]: { kind: "TOOL_CALL_CONFIRMATION" } }),
    message("settings", { [uris.developmentTool]: { workspace_path: "/work" } }),
  ];

  const { items } = reader.readTask({ ...ids, status, history });

  expect(items.map(({ event }) => "messageId" in event && event.messageId)).toEqual([
    "prompt",
    "settings",
  ]);
});

test("an artifact is read from a frame and from the task", () => {
  const reader = createFrameReader(uris);
  const view = { ...emptyTaskView("t", "c"), at: "now" };

  const event = reader.readEvent(
    { type: "artifact-update", taskId: "t", contextId: "c", artifact: artifact("a") },
    view,
  );
  const task = reader.readTask({ ...ids, status, artifacts: [artifact("a"), artifact("b")] });

  expect(event).toEqual({
    kind: "ARTIFACT",
    artifact: artifact("a"),
    taskId: "t",
    contextId: "c",
    state: "submitted",
    at: "now",
  });
  expect(task.artifacts).toEqual([artifact("a"), artifact("b")]);
});

test("a message of text parts becomes text, and any other message becomes UNKNOWN", () => {
  const reader = createFrameReader(uris);
  const view = emptyTaskView("t", "c");
  const data = { type: "data" as const, data: 1 };
  const read = (given: A2aMessage["parts"]) =>
    reader.readEvent({ type: "message", message: { ...message("m"), parts: given } }, view);

  expect(read([...parts, ...parts])).toMatchObject({
    kind: "TEXT_CONTENT",
    text: "xx",
    taskId: "t",
  });
  expect(read([...parts, data])).toMatchObject({ kind: "UNKNOWN", parts: [...parts, data] });
});

test("readEvent decodes a status update", () => {
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi" });
  const activation = { uris, session: true, developmentTool: true };
  const frame = encodeEventFrame(event, activation, false);

  const read = createFrameReader(uris).readEvent(frame, emptyTaskView("t", "c"));

  expect(read).toMatchObject({ kind: "TEXT_CONTENT", text: "hi", taskId: event.taskId });
});
