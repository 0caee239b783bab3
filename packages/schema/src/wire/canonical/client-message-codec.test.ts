import { Message } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { QuestionAnswer } from "../../agent/session-request.js";
import {
  DEFAULT_EXTENSION_URIS,
  DEVELOPMENT_TOOL_URI,
  SESSION_URI,
} from "../../extension/extension-uri.js";
import { arbitraryPart } from "../../testing/arbitrary/arbitrary-a2a.js";
import { arbitraryRecord, arbitraryText } from "../../testing/arbitrary/arbitrary-json.js";
import { arbitraryMessage } from "../../testing/arbitrary/arbitrary-message.js";
import type { A2aMessage } from "../a2a/a2a.js";
import { V0_3 } from "../a2a/v0-3.js";
import { V1_0 } from "../a2a/v1-0.js";
import {
  activatesExtension,
  type ClientMessage,
  decodeClientMessage,
  encodeClientMessage,
} from "./client-message-codec.js";

const uris = DEFAULT_EXTENSION_URIS;
const arbitraryClientMessage: fc.Arbitrary<ClientMessage> = fc.oneof(
  arbitraryRecord(
    {
      type: fc.constant("prompt" as const),
      parts: fc.array(arbitraryPart, { minLength: 1, maxLength: 3 }),
    },
    { settings: arbitraryMessage("AgentSettings"), steer: fc.constant(true as const) },
  ),
  fc.record({
    type: fc.constant("confirmation" as const),
    confirmations: fc.uniqueArray(arbitraryAnswer(), {
      minLength: 1,
      maxLength: 2,
      selector: ({ toolCallId }) => toolCallId,
    }),
  }),
);
const arbitraryAddress = arbitraryRecord(
  { messageId: arbitraryText },
  { taskId: arbitraryText, contextId: arbitraryText },
);

test.each([V0_3, V1_0])(
  "prompts and answers survive encoding in A2A $version [RFC-21]",
  (spelling) => {
    fc.assert(
      fc.property(arbitraryClientMessage, arbitraryAddress, (message, address) => {
        const encoded = encodeClientMessage(message, address, uris);
        const json = JSON.parse(JSON.stringify(spelling.encodeMessage(encoded)));
        const decoded = spelling.decodeMessage(json, "message");

        expect(decoded).toMatchObject(address);
        expect(decodeClientMessage(decoded, uris)).toEqual(message);
      }),
      { numRuns: 300 },
    );
  },
);

test("the official SDK returns a client's message unchanged", () => {
  fc.assert(
    fc.property(arbitraryClientMessage, arbitraryAddress, (message, address) => {
      const encoded = encodeClientMessage(message, address, uris);
      const json = JSON.parse(JSON.stringify(V1_0.encodeMessage(encoded)));

      expect(Message.toJSON(Message.fromJSON(json))).toEqual(json);
    }),
  );
});

describe("answers", () => {
  const answer = { tool_call_id: "call-1", selected_option_id: "proceed_once" };
  const confirmation = {
    toolCallId: "call-1",
    selectedOptionId: "proceed_once",
    modifiedDetails: undefined,
  };
  const edited = {
    ...confirmation,
    modifiedDetails: { $case: "fileDetails", value: { newContent: "mine" } },
  };

  const echo = { file_path: "a", new_content: "mine" };

  test("an answer is recognised by its kind in the metadata, or only by its data [RFC-18]", () => {
    const marked = { [DEVELOPMENT_TOOL_URI]: { kind: "TOOL_CALL_CONFIRMATION" } };

    expect(decodeClientMessage(userMessage([data(answer)], marked), uris)).toEqual({
      type: "confirmation",
      confirmations: [confirmation],
    });
    expect(decodeClientMessage(userMessage([data(answer)]), uris)).toEqual({
      type: "confirmation",
      confirmations: [confirmation],
    });
  });

  test.each([
    ["in the RFC's form", { file_details: { new_content: "mine" } }],
    ["in camel case", { fileDetails: { newContent: "mine" } }],
    ["in the guide's nested form", { modified_details: { file_details: { new_content: "mine" } } }],
    ["under the key of the question", { modified_details: { file_edit_details: echo } }],
    [
      "in the nested form and in camel case",
      { modifiedDetails: { fileDetails: { newContent: "mine" } } },
    ],
  ])("an answer may contain the user's edit %s [RFC-21]", (_, details) => {
    const message = userMessage([data({ ...answer, ...details })]);

    expect(decodeClientMessage(message, uris)).toEqual({
      type: "confirmation",
      confirmations: [edited],
    });
  });

  test("one message may answer several questions", () => {
    const message = userMessage([data(answer), data({ ...answer, tool_call_id: "call-2" })]);

    expect(decodeClientMessage(message, uris)).toMatchObject({
      confirmations: [{ toolCallId: "call-1" }, { toolCallId: "call-2" }],
    });
  });

  test.each([
    [
      "mixed with a prompt",
      [data(answer), { type: "text" as const, text: "and go on" }],
      "message.parts[1]: a message has answers or a prompt, not both",
    ],
    [
      "without an option",
      [data({ tool_call_id: "call-1", selectedOptionId: "" })],
      "message.parts[0].data.selected_option_id: required",
    ],
    [
      "without a call",
      [data({ selected_option_id: "cancel" })],
      "message.parts[0].data.tool_call_id: required",
    ],
    [
      "with edits that are text",
      [data({ ...answer, modified_details: "mine" })],
      "message.parts[0].data.modified_details: expected an object",
    ],
    [
      "with an edit without a key",
      [data({ ...answer, modified_details: { new_content: "mine" } })],
      "message.parts[0].data.modified_details.new_content: not known here; expected file_details.new_content",
    ],
    [
      "with an edit at the wrong level",
      [data({ ...answer, new_content: "mine" })],
      "message.parts[0].data.new_content: not known here; expected file_details.new_content",
    ],
    [
      "with the question's details instead of an edit",
      [data({ ...answer, file_edit_details: echo })],
      "message.parts[0].data.file_edit_details: not known here; expected file_details.new_content",
    ],
    [
      "with an edit whose content has another key",
      [data({ ...answer, modified_details: { file_details: { content: "mine" } } })],
      "message.parts[0].data.modified_details.file_details.new_content: required",
    ],
    [
      "with edits at both levels and in both casings",
      [
        data({
          ...answer,
          fileDetails: { newContent: "a" },
          modified_details: { file_details: { new_content: "b" } },
        }),
      ],
      "message.parts[0].data.file_details: also given as fileDetails",
    ],
  ])("an answer %s is refused with the path of the fault [RFC-08]", (_, parts, reason) => {
    expect(() => decodeClientMessage(userMessage(parts), uris)).toThrow(
      expect.objectContaining({ code: "invalid-message", message: reason }),
    );
  });
});

describe("the session extension of a message", () => {
  const answers = [
    { tool_call_id: "call-1", selected_option_id: "cancel" },
    { tool_call_id: "call-2", selected_option_id: "cancel" },
  ].map(data);
  const text = { type: "text" as const, text: "use tabs" };

  test("the session extension gives the reason for each refusal under the id of the refused call", () => {
    const info = { [SESSION_URI]: { reasons: { "call-2": "use tabs" } } };

    expect(decodeClientMessage(userMessage(answers, info), uris)).toMatchObject({
      confirmations: [{ toolCallId: "call-1" }, { toolCallId: "call-2", reason: "use tabs" }],
    });
  });

  test("the session extension is only written if the message uses it", () => {
    const address = { messageId: "m" };
    const plain = encodeClientMessage({ type: "prompt", parts: [text] }, address, uris);
    const steering = encodeClientMessage(
      { type: "prompt", parts: [text], steer: true },
      address,
      uris,
    );

    expect(plain).toMatchObject({ extensions: [DEVELOPMENT_TOOL_URI] });
    expect(plain.metadata).toBeUndefined();
    expect(steering).toMatchObject({
      extensions: [DEVELOPMENT_TOOL_URI, SESSION_URI],
      metadata: { [SESSION_URI]: { steer: true } },
    });
  });

  test.each([
    ["a reason that is a number", answers, { reasons: { "call-1": 5 } }, '.reasons["call-1"]'],
    [
      "a reason that is too long",
      answers,
      { reasons: { "call-1": "x".repeat(10_001) } },
      '.reasons["call-1"]',
    ],
    ["a text instead of the fields", answers, "no", ""],
    ["a list instead of the fields", [text], [], ""],
    ["a field `reasons` that is text", answers, { reasons: "no" }, ".reasons"],
    ["a field `steer` that is text", [text], { steer: "yes" }, ".steer"],
  ])(
    "a session extension with %s is refused with the path of the fault [RFC-08]",
    (_, parts, info, path) => {
      const message = userMessage(parts, { [SESSION_URI]: info });

      expect(() => decodeClientMessage(message, uris)).toThrow(
        `message.metadata["${SESSION_URI}"]${path}: expected`,
      );
    },
  );

  test.each([{}, true, null])(
    "a session extension with the value %j activates the extension and adds nothing",
    (info) => {
      expect(decodeClientMessage(userMessage([text], { [SESSION_URI]: info }), uris)).toEqual({
        type: "prompt",
        parts: [text],
      });
    },
  );
});

describe("prompts", () => {
  const text = { type: "text" as const, text: "add a test" };

  test("a prompt has its settings under the extension's key [RFC-06]", () => {
    const settings = { workspacePath: "/w", allowedTools: [], mcpServers: {} };

    const message = encodeClientMessage(
      { type: "prompt", parts: [text], settings },
      { messageId: "m" },
      uris,
    );

    expect(message.metadata).toEqual({ [DEVELOPMENT_TOOL_URI]: { workspace_path: "/w" } });
  });

  test("a prompt may have no settings", () => {
    expect(decodeClientMessage(userMessage([text]), uris)).toEqual({
      type: "prompt",
      parts: [text],
    });
    expect(decodeClientMessage(userMessage([text], { [DEVELOPMENT_TOOL_URI]: {} }), uris)).toEqual({
      type: "prompt",
      parts: [text],
    });
  });

  test.each([
    ["no parts", [], undefined, "message.parts: expected at least one part"],
    [
      "a workspace path that is a number",
      [text],
      { [DEVELOPMENT_TOOL_URI]: { workspace_path: 1 } },
      `message.metadata["${DEVELOPMENT_TOOL_URI}"].workspace_path: expected a string`,
    ],
    [
      "settings that have no workspace path",
      [text],
      { [DEVELOPMENT_TOOL_URI]: { model: "m" } },
      `message.metadata["${DEVELOPMENT_TOOL_URI}"].workspace_path: required`,
    ],
    [
      "settings that are text",
      [text],
      { [DEVELOPMENT_TOOL_URI]: "x" },
      `message.metadata["${DEVELOPMENT_TOOL_URI}"]: expected an object`,
    ],
  ])(
    "a prompt with %s is refused with the path of the fault [RFC-08]",
    (_, parts, metadata, reason) => {
      expect(() => decodeClientMessage(userMessage(parts, metadata), uris)).toThrow(
        expect.objectContaining({ code: "invalid-message", message: reason }),
      );
    },
  );

  test("a prompt with the role of an agent is refused", () => {
    const message: A2aMessage = { ...userMessage([text]), role: "agent" };

    expect(() => decodeClientMessage(message, uris)).toThrow("message.role");
  });
});

test.each([
  ["the extension in its list", true, { extensions: [DEVELOPMENT_TOOL_URI] }],
  [
    "a listed minor version that we do not offer",
    false,
    { extensions: [DEVELOPMENT_TOOL_URI.replace("v0", "v0.1")] },
  ],
  [
    "another major version in its list",
    false,
    { extensions: [DEVELOPMENT_TOOL_URI.replace("v0", "v1")] },
  ],
  ["our key in its metadata", true, { metadata: { [DEVELOPMENT_TOOL_URI]: {} } }],
  ["an empty list and another key", false, { metadata: { other: {} }, extensions: [] }],
])("activatesExtension of a message with %s is %s", (_, expected, fields) => {
  const message = { ...userMessage([{ type: "text", text: "hi" }]), ...fields };

  expect(activatesExtension(message, DEVELOPMENT_TOOL_URI)).toBe(expected);
});

function arbitraryAnswer(): fc.Arbitrary<QuestionAnswer> {
  return fc
    .tuple(arbitraryMessage("ToolCallConfirmation"), fc.option(arbitraryText, { nil: undefined }))
    .map(([answer, reason]) => (reason === undefined ? answer : { ...answer, reason }));
}

function userMessage(parts: A2aMessage["parts"], metadata?: A2aMessage["metadata"]): A2aMessage {
  return { messageId: "m", role: "user", parts, ...(metadata !== undefined && { metadata }) };
}

function data(value: unknown) {
  return { type: "data" as const, data: value };
}
