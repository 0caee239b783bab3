import { expect, test } from "vitest";
import { decodeNotesMessage } from "./notes-message-codec.js";

const hello = [{ type: "text", text: "hello" }];
const settings = { workspacePath: "/w", allowedTools: [], mcpServers: {} };
const agentSettings = { kind: "agent-settings", workspacePath: "/w" };
const approval = { kind: "tool-call-confirmation", toolCallId: "call-1", approved: true };
const proceeds = {
  type: "confirmation",
  confirmations: [
    { toolCallId: "call-1", selectedOptionId: "proceed_once", modifiedDetails: undefined },
  ],
};

test.each([
  ["a text", "hello", { type: "prompt", parts: hello }],
  ["a text with a kind", { kind: "text", text: "hello" }, { type: "prompt", parts: hello }],
  [
    "an A2A 0.3 message",
    { kind: "message", role: "user", messageId: "m", parts: [{ kind: "text", text: "hello" }] },
    { type: "prompt", parts: hello },
  ],
  [
    "an A2A 1.0 message without ids",
    { parts: [{ text: "hello" }] },
    { type: "prompt", parts: hello },
  ],
  ["settings", agentSettings, { type: "prompt", parts: [], settings }],
  [
    "settings with autoExecute",
    { ...agentSettings, autoExecute: true },
    { type: "prompt", parts: [], settings: { ...settings, autoExecute: true } },
  ],
  [
    "an A2A message with settings in a data part",
    {
      parts: [
        { kind: "data", data: agentSettings },
        { kind: "text", text: "hello" },
      ],
    },
    { type: "prompt", parts: hello, settings },
  ],
  [
    "an A2A message with settings in its metadata",
    { parts: [{ kind: "text", text: "hello" }], metadata: { coderAgent: agentSettings } },
    { type: "prompt", parts: hello, settings },
  ],
  ["an approval", approval, proceeds],
  ["an A2A message with an approval", { parts: [{ kind: "data", data: approval }] }, proceeds],
  [
    "a rejection",
    { ...approval, approved: false },
    {
      type: "confirmation",
      confirmations: [
        { toolCallId: "call-1", selectedOptionId: "cancel", modifiedDetails: undefined },
      ],
    },
  ],
])("%s is read as a user message [SRV-04]", (_name, userMessage, content) => {
  expect(decodeNotesMessage({ userMessage }).content).toEqual(content);
});

test("settings may be sent beside the prompt, and ids of the body override those of the message [SRV-04]", () => {
  const userMessage = {
    messageId: "inner",
    taskId: "inner",
    contextId: "inner",
    parts: [{ kind: "text", text: "hello" }],
  };
  const outer = { messageId: "m", taskId: "t", contextId: "c" };

  expect(decodeNotesMessage({ ...outer, userMessage: "hello", agentSettings })).toEqual({
    ...outer,
    content: { type: "prompt", parts: hello, settings },
    returnsImmediately: false,
  });
  expect(decodeNotesMessage({ userMessage })).toMatchObject({
    messageId: "inner",
    taskId: "inner",
    contextId: "inner",
  });
  expect(decodeNotesMessage({ ...outer, userMessage })).toMatchObject(outer);
});

test.each([
  [[], "body: expected an object"],
  [{ userMessage: "" }, "userMessage: required"],
  [{ userMessage: ["hi"] }, "userMessage: expected a text or an object"],
  [{ userMessage: "hi", taskId: 5 }, "taskId: expected a string"],
  [{ userMessage: { kind: "text" } }, "userMessage.text: expected a string"],
  [{ userMessage: { kind: "agent-settings" } }, "userMessage.workspacePath: expected a string"],
  [
    { userMessage: { ...agentSettings, autoExecute: "yes" } },
    "userMessage.autoExecute: expected true or false",
  ],
  [{ userMessage: "hi", agentSettings: "/w" }, "agentSettings: expected an object"],
  [
    { userMessage: { kind: "tool-call-confirmation", approved: true } },
    "userMessage.toolCallId: expected a string",
  ],
  [
    { userMessage: { kind: "tool-call-confirmation", toolCallId: "c" } },
    "userMessage.approved: expected true or false",
  ],
  [{ userMessage: { parts: [{ kind: "text" }] } }, "userMessage.parts[0].text: expected a string"],
  [
    { userMessage: { role: "agent", parts: [] } },
    "userMessage.role: expected a message of the user",
  ],
  [{ userMessage: { parts: [] } }, "userMessage: required"],
  [
    {
      userMessage: {
        parts: [
          { kind: "data", data: approval },
          { kind: "text", text: "hi" },
        ],
      },
    },
    "userMessage.parts: expected answers or a prompt, not both",
  ],
])("the body %j is refused with the path of the fault", (body, message) => {
  expect(() => decodeNotesMessage(body)).toThrow(message);
});
