import { StreamResponse } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRfcKind, type SessionEvent } from "../../event/agent-event.js";
import {
  DEFAULT_EXTENSION_URIS,
  DEVELOPMENT_TOOL_URI,
  SESSION_URI,
} from "../../extension/extension-uri.js";
import { arbitrarySessionEvent, EVENT_KINDS } from "../../testing/arbitrary/arbitrary-event.js";
import { buildEvent } from "../../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../../testing/build-tool-call.js";
import type { A2aSpelling, A2aStatusUpdate } from "../a2a/a2a.js";
import { V0_3 } from "../a2a/v0-3.js";
import { V1_0 } from "../a2a/v1-0.js";
import {
  type Activation,
  decodeEvent,
  encodeEvent,
  isVisible,
  toTaskState,
} from "./event-codec.js";
import { decodeEventFrame, encodeEventFrame } from "./event-frame-codec.js";

const uris = DEFAULT_EXTENSION_URIS;
const both: Activation = { uris, developmentTool: true, session: true };
const rfcOnly: Activation = { uris, developmentTool: true, session: false };
const none: Activation = { uris, developmentTool: false, session: false };

describe.each(EVENT_KINDS)("events of the kind %s", (kind) => {
  test.each([V0_3, V1_0])(
    "an event survives encoding in A2A $version [RFC-09] [RFC-10] [RFC-16] [RFC-17]",
    (spelling) => {
      fc.assert(
        fc.property(arbitrarySessionEvent(kind), (event) => {
          const json = overTheWire(encode(event, both, spelling));

          expect(decode(json, spelling)).toEqual(event);
        }),
        { numRuns: 40 },
      );
    },
  );

  test("the official SDK accepts an encoded event and returns it unchanged", () => {
    fc.assert(
      fc.property(arbitrarySessionEvent(kind), (event) => {
        const json = overTheWire(encode(event, both, V1_0));

        expect(StreamResponse.toJSON(StreamResponse.fromJSON(json))).toEqual(json);
      }),
      { numRuns: 20 },
    );
  });

  test("a client with only the RFC's extension gets only the RFC's fields [RFC-06]", () => {
    fc.assert(
      fc.property(arbitrarySessionEvent(kind), (event) => {
        const isOfSession = event.kind === "UNKNOWN" && event.extension === "session";
        const frame = encodeEventFrame(event, rfcOnly);

        expect(isVisible(event, rfcOnly)).toBe(isRfcKind(kind) && !isOfSession);
        expect(frame.metadata ?? {}).not.toHaveProperty([SESSION_URI]);
        if (frame.type === "artifact-update") return;
        expect(Object.keys(frame.metadata ?? {})).toEqual([DEVELOPMENT_TOOL_URI]);
        expect(frame.status.message?.metadata ?? {}).not.toHaveProperty([SESSION_URI]);
      }),
      { numRuns: 20 },
    );
  });

  test("a client that activated no extension gets an event without our keys [RFC-06]", () => {
    fc.assert(
      fc.property(arbitrarySessionEvent(kind), (event) => {
        const frame = encodeEventFrame(event, none);

        expect(frame).not.toHaveProperty("metadata");
        if (frame.type === "artifact-update") return;
        expect(frame.status.message ?? {}).not.toHaveProperty("metadata");
      }),
      { numRuns: 20 },
    );
  });
});

test("the header of an update has its kind, its model, the user's tier and its error [RFC-17]", () => {
  const event = buildEvent(
    { kind: "TEXT_CONTENT", text: "hi" },
    { model: "offline", userTier: "free", error: "the model was slow", cursor: "7" },
  );

  const { metadata, status } = encodeEvent(event, rfcOnly);

  expect(metadata).toEqual({
    [DEVELOPMENT_TOOL_URI]: {
      kind: "TEXT_CONTENT",
      model: "offline",
      user_tier: "free",
      error: "the model was slow",
    },
  });
  expect(status.message?.metadata).toEqual({ [DEVELOPMENT_TOOL_URI]: { kind: "TEXT_CONTENT" } });
});

test("text is encoded as a text part, and a thought and a tool call as data parts [RFC-09]", () => {
  const thought = { subject: "Plan", description: "read first" };
  const events = [
    buildEvent({ kind: "TEXT_CONTENT", text: "hi" }),
    buildEvent({ kind: "THOUGHT", thought }),
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall() }),
  ];

  const parts = events.map((event) => encodeEvent(event, both).status.message?.parts);

  expect(parts).toEqual([
    [{ type: "text", text: "hi" }],
    [{ type: "data", data: thought }],
    [
      {
        type: "data",
        data: {
          tool_call_id: "call-1",
          status: "PENDING",
          tool_name: "write_file",
          input_parameters: { file_path: "hello.txt", content: "hello" },
        },
      },
    ],
  ]);
});

test("a change to input-required repeats every call that waits [RFC-14]", () => {
  const waiting = [buildQuestion(), buildQuestion({ toolCallId: "call-2" })];
  const event = buildEvent({ kind: "STATE_CHANGE", waiting }, { state: "input-required" });

  const { status } = encodeEvent(event, rfcOnly);

  expect(status.message?.parts).toMatchObject([
    { type: "data", data: { tool_call_id: "call-1", confirmation_request: {} } },
    { type: "data", data: { tool_call_id: "call-2", confirmation_request: {} } },
  ]);
});

test("a change of state without content has no message", () => {
  const update = encodeEvent(buildEvent({ kind: "STATE_CHANGE" }), rfcOnly);

  expect(update.status).toEqual({ state: "working", timestamp: "2026-01-02T03:04:05.678Z" });
});

test.each([
  ["STATE_CHANGE", "completed", true],
  ["STATE_CHANGE", "failed", true],
  ["STATE_CHANGE", "canceled", true],
  ["STATE_CHANGE", "input-required", false],
  ["STATE_CHANGE", "working", false],
  ["TEXT_CONTENT", "completed", false],
] as const)("the default of isFinal for a %s in state %s is %s", (kind, state, isFinal) => {
  const event = buildEvent(kind === "STATE_CHANGE" ? { kind } : { kind, text: "hi" }, { state });

  expect(encodeEvent(event, both).isFinal).toBe(isFinal);
  expect(encodeEvent(event, both, true).isFinal).toBe(true);
});

describe("message ids", () => {
  test("the message id of a logged event contains the task id and the cursor", () => {
    const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi" }, { cursor: "41" });

    expect(encodeEvent(event, both).status.message?.messageId).toBe("task-1:41");
  });

  test("live output has another message id for another call or another time", () => {
    const live = (toolCallId: string, at: string) =>
      encodeEvent(
        buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ toolCallId }) }, { at }),
        both,
      ).status.message?.messageId;
    const first = "2026-01-02T03:04:05.678Z";
    const second = "2026-01-02T03:04:05.778Z";

    const ids = [live("a", first), live("b", first), live("a", second)];

    expect(new Set(ids).size).toBe(3);
  });
});

describe("events of unknown kinds", () => {
  const message = {
    kind: "message",
    messageId: "task-1:9",
    role: "agent",
    parts: [{ kind: "data", data: { progress: 3 } }],
    taskId: "task-1",
    contextId: "context-1",
  };
  const update = {
    kind: "status-update",
    taskId: "task-1",
    contextId: "context-1",
    status: { state: "working", message, timestamp: "2026-01-02T03:04:05.678Z" },
    final: false,
  };

  test("an event of an unknown kind of the RFC's extension is passed on unchanged", () => {
    const json = {
      ...update,
      status: {
        ...update.status,
        message: { ...message, metadata: { [DEVELOPMENT_TOOL_URI]: { kind: "PROGRESS" } } },
      },
      metadata: {
        [DEVELOPMENT_TOOL_URI]: { kind: "PROGRESS", model: "m" },
        [SESSION_URI]: { cursor: "9" },
      },
    };

    const event = decode(json, V0_3);

    expect(event).toMatchObject({ kind: "UNKNOWN", wireKind: "PROGRESS", model: "m", cursor: "9" });
    expect(isVisible(event, rfcOnly)).toBe(true);
    expect(encode(event, both, V0_3)).toEqual(json);
  });

  test("an event of an unknown session kind is passed on unchanged, and only to session clients", () => {
    const json = {
      ...update,
      status: {
        ...update.status,
        message: { ...message, metadata: { [SESSION_URI]: { kind: "PROGRESS" } } },
      },
      metadata: {
        [DEVELOPMENT_TOOL_URI]: { model: "m" },
        [SESSION_URI]: { kind: "PROGRESS", cursor: "9" },
      },
    };

    const event = decode(json, V0_3);

    expect(event).toMatchObject({ kind: "UNKNOWN", wireKind: "PROGRESS", extension: "session" });
    expect(isVisible(event, rfcOnly)).toBe(false);
    expect(encode(event, both, V0_3)).toEqual(json);
  });
});

describe("updates of a plain A2A agent", () => {
  const bare: A2aStatusUpdate = {
    taskId: "t",
    contextId: "c",
    status: { state: "working" },
    isFinal: false,
  };
  const withParts = (...parts: readonly object[]) =>
    ({
      ...bare,
      status: { state: "working", message: { messageId: "m", role: "agent", parts } },
    }) as A2aStatusUpdate;
  const file = { type: "file", uri: "http://x/y" };
  const header = { taskId: "t", contextId: "c", state: "working", at: "" };

  test.each([
    ["no message", bare, { kind: "STATE_CHANGE" }],
    ["text", withParts({ type: "text", text: "hi" }), { kind: "TEXT_CONTENT", text: "hi" }],
    [
      "a tool call",
      withParts({ type: "data", data: { toolCallId: "x", status: "PENDING", toolName: "y" } }),
      {
        kind: "TOOL_CALL_UPDATE",
        toolCall: { toolCallId: "x", status: "PENDING", toolName: "y", result: undefined },
      },
    ],
    ["a file", withParts(file), { kind: "UNKNOWN", wireKind: "", parts: [file] }],
  ])("an update of a plain agent with %s is decoded by its content", (_, update, event) => {
    expect(decodeEvent(update, uris)).toEqual({ ...event, ...header });
  });

  test("an update of a plain agent gets no kind when it is passed on", () => {
    const event = decodeEvent(withParts(file), uris);

    expect(encodeEvent(event, both).metadata).toEqual({
      [DEVELOPMENT_TOOL_URI]: {},
      [SESSION_URI]: {},
    });
  });

  test.each([
    ["rejected", "rejected"],
    ["auth-required", "auth-required"],
    ["unknown", "submitted"],
    ["working", "working"],
  ] as const)("the state %s of a plain agent becomes our state %s", (theirs, ours) => {
    expect(toTaskState(theirs)).toBe(ours);
  });
});

describe("headers of other implementations", () => {
  const base = encodeEvent(buildEvent({ kind: "TEXT_CONTENT", text: "hi" }), none);
  const withHeader = (header: unknown, info?: unknown): A2aStatusUpdate => ({
    ...base,
    metadata: {
      [DEVELOPMENT_TOOL_URI]: header,
      ...(info !== undefined && { [SESSION_URI]: info }),
    },
  });

  test.each([
    ["a kind as its number", { kind: 3 }],
    ["no kind", {}],
    ["null instead of a value", { kind: null, model: null }],
    ["the unspecified kind", { kind: "DEVELOPMENT_TOOL_EVENT_KIND_UNSPECIFIED" }],
    ["a field in camel case", { kind: "TEXT_CONTENT", userTier: "" }],
  ])("a header with %s is accepted", (_, header) => {
    expect(decodeEvent(withHeader(header), uris)).toMatchObject({
      kind: "TEXT_CONTENT",
      text: "hi",
    });
  });

  test.each([
    ["text instead of the header", withHeader("x"), "metadata: expected an object"],
    ["a kind that is a list", withHeader({ kind: [] }), "metadata.kind: expected one of"],
    ["a model that is a number", withHeader({ model: 1 }), "metadata.model: expected a string"],
    [
      "a cursor that is a number",
      withHeader({}, { cursor: 1 }),
      "metadata.cursor: expected a string",
    ],
    [
      "a tool call without data",
      withHeader({ kind: "TOOL_CALL_UPDATE" }),
      "parts[0].data: expected an object",
    ],
  ])("%s is refused with the path of the fault", (_, update, reason) => {
    expect(() => decodeEvent(update, uris)).toThrow(reason);
  });

  test("a header is found under the URI of a compatible version [RFC-05]", () => {
    const metadata = {
      [DEVELOPMENT_TOOL_URI.replace("v0", "v0.1.0")]: { kind: "TEXT_CONTENT", model: "m" },
    };

    expect(decodeEvent({ ...base, metadata }, uris)).toMatchObject({ model: "m" });
  });
});

function encode(event: SessionEvent, activation: Activation, spelling: A2aSpelling): unknown {
  return spelling.encodeFrame(encodeEventFrame(event, activation));
}

function decode(json: unknown, spelling: A2aSpelling): SessionEvent {
  const frame = spelling.decodeFrame(json, "");
  if (frame.type !== "status-update" && frame.type !== "artifact-update")
    throw new Error(`expected an update, got ${frame.type}`);
  return decodeEventFrame(frame, uris);
}

function overTheWire(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}
