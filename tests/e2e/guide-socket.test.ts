// "The guide" is the a2a-endpoint-guide, one of the five source documents (docs/documents.md).
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openWsClient } from "./ws-client.js";

const call = buildQuestion({
  toolCallId: "uuid-correlation-id",
  toolName: "run_shell_command",
  inputParameters: undefined,
  confirmationRequest: {
    options: [
      { id: "proceed_once", name: "Allow Once" },
      { id: "cancel", name: "Cancel" },
    ],
    details: { $case: "executeDetails", value: { command: "rm -rf /" } },
  },
});

const PROMPT = {
  jsonrpc: "2.0",
  method: "message/stream",
  params: { message: { content: { text: "List the files in the current directory" } } },
};
const ANSWER = {
  jsonrpc: "2.0",
  method: "message/stream",
  params: {
    message: {
      content: {
        data: {
          kind: "TOOL_CALL_CONFIRMATION",
          tool_call_id: "uuid-correlation-id",
          selected_option_id: "proceed_once",
        },
      },
    },
  },
};

test("a socket without a subprotocol receives the frames of the guide's workflow [CLI-08, CLI-09, CLI-11, CLI-12, CLI-19]", async () => {
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      const thought = { subject: "Plan", description: "list first" };
      await turn.emit({ kind: "THOUGHT", thought });
      await turn.say("I will list the files for you.");
      await turn.ask(call);
      turn.showLive({ ...call, status: "EXECUTING", liveContent: "a.txt" });
      await turn.emit({ kind: "CONSOLE_LOG", log: { type: "info", content: "done" } });
    }),
  });
  using client = await openWsClient(server.wsUrl, { protocol: "" });

  client.send(PROMPT);
  const { taskId } = await client.until((frame) => frame.status === "PENDING");
  client.send(ANSWER);
  await client.until((frame) => frame.kind === "CONSOLE_LOG");
  await client.until((frame) => frame.live_content === "a.txt");

  const base = { tool_call_id: "uuid-correlation-id", tool_name: "run_shell_command", taskId };
  // Frames with live output are left out, because their order is not guaranteed.
  expect(client.frames.filter((frame) => frame.live_content === undefined)).toEqual([
    {
      kind: "TEXT_CONTENT",
      content: { text: "List the files in the current directory" },
      role: "user",
      origin: "local",
      taskId,
    },
    { kind: "THOUGHT", thought: { subject: "Plan", description: "list first" }, taskId },
    { kind: "TEXT_CONTENT", content: { text: "I will list the files for you." }, taskId },
    {
      kind: "TOOL_CALL_UPDATE",
      status: "PENDING",
      ...base,
      confirmation_request: {
        options: [
          { id: "proceed_once", name: "Allow Once" },
          { id: "cancel", name: "Cancel" },
        ],
        details: { execute_details: { command: "rm -rf /" } },
      },
    },
    { kind: "TOOL_CALL_UPDATE", status: "EXECUTING", ...base },
    { kind: "CONSOLE_LOG", type: "info", content: "done", taskId },
  ]);
  expect(server.faults).toEqual([]);
});

test("prompts of one guide socket share a task, and another socket has another task", async () => {
  await using server = await openTestServer();
  using first = await openWsClient(server.wsUrl, { protocol: "" });
  using second = await openWsClient(server.wsUrl, { protocol: "" });

  first.send({ ...PROMPT, id: 1 });
  first.send({ ...PROMPT, id: 2 });
  second.send({ ...PROMPT, id: 1 });
  const [one, two, other] = await Promise.all([
    first.until((frame) => frame.id === 1),
    first.until((frame) => frame.id === 2),
    second.until((frame) => frame.id === 1),
  ]);

  expect(two.result.taskId).toBe(one.result.taskId);
  expect(other.result.taskId).not.toBe(one.result.taskId);
  await first.until((frame) => frame.kind === "CONSOLE_LOG" && frame.content === "1 prompt waits");
});

test("a message that a guide socket sends twice starts one turn [LOG-05]", async () => {
  await using server = await openTestServer();
  using client = await openWsClient(server.wsUrl, { protocol: "" });
  const repeated = (id: number) => ({
    ...PROMPT,
    id,
    params: { message: { messageId: "m", content: { text: "once" } } },
  });

  client.send(repeated(1));
  client.send(repeated(2));
  await client.until((frame) => frame.id === 2);
  client.send({ ...PROMPT, id: 3 });
  await client.until((frame) => frame.content?.text?.startsWith("List") && !frame.role);

  expect(
    client.frames.filter((frame) => frame.content?.text === "once" && frame.role),
  ).toHaveLength(1);
});

test.each([
  ["broken JSON", "{", -32700],
  ["a frame without a JSON-RPC version", { method: "message/stream" }, -32600],
  ["an unknown method", { ...PROMPT, method: "tasks/get" }, -32601],
  ["a message without content", { ...PROMPT, params: { message: { parts: [] } } }, -32602],
  ["an answer without an open question", ANSWER, -32052],
])("a guide socket that sends %s gets an error and stays open", async (_, frame, code) => {
  await using server = await openTestServer();
  using client = await openWsClient(server.wsUrl, { protocol: "" });

  client.send(frame);
  const failure = await client.until((candidate) => candidate.error);
  client.send({ ...PROMPT, id: 1 });

  expect(failure).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
  expect((await client.until((candidate) => candidate.id === 1)).result.taskId).toBeDefined();
  expect(server.faults).toEqual([]);
});
