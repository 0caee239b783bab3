// "The notes" are the protocol notes, one of the five source documents (docs/documents.md).
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { parseEvents, post } from "../support/raw-rpc.js";
import { brief, openNotesStage } from "./notes-stage.js";

interface ListedCommand {
  readonly name: string;
  readonly subCommands: readonly ListedCommand[];
}

test("GET /listCommands lists subcommands with their full names, such as memory add [SRV-05]", async () => {
  await using stage = await openNotesStage();

  const { commands } = (await stage.get("listCommands")) as { commands: ListedCommand[] };

  const memory = commands.find(({ name }) => name === "memory");
  expect(memory?.subCommands.map(({ name }) => name)).toEqual([
    "memory show",
    "memory add",
    "memory refresh",
    "memory list",
  ]);
  expect(memory?.subCommands[1]).toEqual({
    name: "memory add",
    description: expect.any(String),
    arguments: [{ name: "fact", description: expect.any(String), isRequired: true }],
    subCommands: [],
  });
});

test.each([
  ["memory", undefined, "memory show", "nothing is remembered yet"],
  ["memory show", [], "memory show", "nothing is remembered yet"],
  ["/memory list", [], "memory list", "no context files are in use"],
  ["extensions", [], "extensions list", "there are no extensions"],
])(
  "POST /executeCommand for %j returns the full command name and the output [SRV-05]",
  async (command, args, name, data) => {
    await using stage = await openNotesStage();

    expect(await stage.execute(command, args)).toEqual({ name, data });
  },
);

test("POST /executeCommand returns an error message for a command that fails [SRV-05]", async () => {
  await using stage = await openNotesStage();

  expect(await stage.execute("restore", ["nope"])).toEqual({
    name: "restore",
    data: { type: "message", messageType: "error", content: expect.stringContaining("nope") },
  });
  expect(await stage.execute("restore list")).toMatchObject({
    data: { type: "message", messageType: "info" },
  });
});

test.each([
  [{ command: "nope" }, 404, "Command not found: nope"],
  [{ command: "memory nope" }, 404, "Command not found: memory nope"],
  [{ command: 5 }, 400, 'Invalid "command" field.'],
  [{ command: "extensions", args: "x" }, 400, '"args" field must be an array.'],
  [{ command: "memory add" }, 400, expect.stringContaining("fact")],
  [{ command: "help", taskId: "nope" }, 404, "Task not found"],
  [{ command: "help", contextId: "nope" }, 404, "context_id: there is no session nope"],
])("POST /executeCommand refuses %j with status %i [SRV-05]", async (body, status, error) => {
  await using stage = await openNotesStage();

  const response = await stage.send("executeCommand", body);

  expect([response.status, await response.json()]).toEqual([status, { error }]);
  expect(stage.faults).toEqual([]);
});

test("a command that asks a question returns a stream and runs after the answer [SRV-05]", async () => {
  await using stage = await openNotesStage();

  const response = await stage.send("executeCommand", {
    command: "memory add",
    args: ["tabs", "are wide"],
  });
  const [first, ...updates] = parseEvents(await response.text());
  const { id: taskId, contextId } = first?.json.result ?? {};
  const { metadata } = await stage.get(`tasks/${taskId}/metadata`);
  const done = await stage.stream({
    taskId,
    contextId,
    userMessage: {
      kind: "tool-call-confirmation",
      toolCallId: await findWaitingCall(stage.server.url, taskId),
      approved: true,
    },
  });

  expect(response.headers.get("Content-Type")).toBe("text/event-stream");
  expect(first?.json).toMatchObject({ jsonrpc: "2.0", result: { kind: "task" } });
  expect(updates.at(-1)?.json.result).toMatchObject({ taskId, final: true });
  expect(metadata.taskState).toBe("input-required");
  expect(brief(done)).toEqual([
    "state-change working",
    "tool-call-update EXECUTING",
    "tool-call-update SUCCEEDED",
    "text-content",
    "state-change completed",
  ]);
  expect(await stage.execute("memory show")).toMatchObject({
    data: expect.stringContaining("tabs are wide"),
  });
});

/** Reads the id of the tool call that waits for an answer, with the A2A method tasks/get. */
async function findWaitingCall(url: string, taskId: string): Promise<string> {
  const headers = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
  const response = await post(url, "tasks/get", { id: taskId }, headers);
  const { result } = (await response.json()) as { result: A2aTask };
  return (
    result.status.message.parts.find(({ data }) => data !== undefined)?.data?.tool_call_id ?? ""
  );
}

interface A2aTask {
  readonly status: { readonly message: { readonly parts: readonly A2aPart[] } };
}

interface A2aPart {
  readonly data?: { readonly tool_call_id: string };
}

test("POST /executeCommand for init streams the turn of the command [SRV-05]", async () => {
  await using stage = await openNotesStage();

  const response = await stage.send("executeCommand", { command: "init" });
  const events = parseEvents(await response.text());

  expect(response.headers.get("Content-Type")).toBe("text/event-stream");
  expect(events[0]?.json.result).toMatchObject({ kind: "task" });
  expect(events.at(-1)?.json.result).toMatchObject({ kind: "status-update", final: true });
  expect(stage.faults).toEqual([]);
});
