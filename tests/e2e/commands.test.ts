import { access } from "node:fs/promises";
import path from "node:path";
import { openAgentSession } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { createAgentServer, openMemoryStore } from "@dt/server";
import { expect, test } from "vitest";
import { post, readStream } from "./support/raw-rpc.js";

/** Opens a server whose agent has all commands of dt-server, and a command `/ship` that asks a question. */
async function openStage() {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  const server = await createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    openAgent: ({ settings, ledger, journal, contextId }) =>
      openAgentSession({
        workspacePath: settings.workspacePath,
        home: home.root,
        environment: { PATH: process.env.PATH },
        dataDirectory: path.join(home.root, contextId),
        client: settings,
        ledger,
        journal,
        commands: [
          {
            name: "ship",
            description: "runs a shell command",
            asksFirst: () => true,
            run: async () => ({
              type: "ask",
              calls: [{ toolName: "run_shell_command", input: { command: "echo shipped" } }],
              next: async ([call]) => ({ type: "done", say: `ship: ${call?.status}` }),
            }),
          },
        ],
      }),
    listCommands: async () => [
      { name: "help", description: "lists the commands", arguments: [], subCommands: [] },
    ],
  });
  const call = async (method: string, params: unknown, headers: Record<string, string> = {}) =>
    await post(server.url, method, params, headers);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  const result = async (method: string, params: unknown): Promise<any> =>
    ((await (await call(method, params)).json()) as { result: unknown }).result;
  return {
    workspace,
    home,
    url: server.url,
    call,
    result,
    async [Symbol.asyncDispose]() {
      await server.close();
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const stream = { Accept: "text/event-stream", "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };

test("commands/get lists the tree of a session's commands, and only /help without a session [RFC-22]", async () => {
  await using stage = await openStage();
  const [task] = await readStream(
    await stage.call("message/stream", {
      message: {
        kind: "message",
        role: "user",
        messageId: "m",
        parts: [{ kind: "text", text: "say hi" }],
        metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
      },
    }),
  );

  const usual = await stage.result("commands/get", {});
  const own = await stage.result("commands/get", { context_id: task?.json.result.contextId });

  expect(usual.commands).toEqual([{ name: "help", description: "lists the commands" }]);
  const memory = own.commands.find(({ name }: { name: string }) => name === "memory");
  expect(memory.sub_commands.map(({ name }: { name: string }) => name)).toEqual([
    "show",
    "add",
    "refresh",
    "list",
  ]);
  expect(memory.sub_commands[1].arguments[0]).toMatchObject({ is_required: true });
});

test("command/execute streams STARTED first and then the events of the command [RFC-23]", async () => {
  await using stage = await openStage();

  const response = await stage.call(
    "command/execute",
    { command_path: ["help"], args: "" },
    stream,
  );
  const [first, ...updates] = await readStream(response);

  expect(first?.json.result).toMatchObject({ status: "STARTED", execution_id: expect.any(String) });
  const kinds = updates.map(({ json }) => json.result.metadata[DEVELOPMENT_TOOL_URI].kind);
  expect(kinds).toEqual(["STATE_CHANGE", "TEXT_CONTENT", "STATE_CHANGE"]);
  expect(updates.every(({ json }) => json.result.taskId === first?.json.result.execution_id)).toBe(
    true,
  );
  expect(updates[1]?.json.result.status.message.parts[0].text).toContain("/memory");
});

test("a client that ran command/execute without a stream can subscribe to the task [RFC-23]", async () => {
  await using stage = await openStage();

  const { execution_id: id, status } = await stage.result("command/execute", {
    command_path: ["help"],
    args: "memory",
  });
  const events = await readStream(await stage.call("tasks/resubscribe", { id }, stream));

  expect(status).toBe("STARTED");
  expect(JSON.stringify(events)).toContain("/memory add");
  expect(events.at(-1)?.json.result.status.state).toBe("completed");
});

test("/memory add of a client waits for approval before it writes the file [SEC-08]", async () => {
  await using stage = await openStage();
  const memoryFile = path.join(stage.home.root, ".config", "dt", "AGENTS.md");

  const { status } = await stage.result("command/execute", {
    command_path: ["memory", "add"],
    args: "I like tea",
  });

  expect(status).toBe("AWAITING_ACTION_CONFIRMATION");
  await expect(access(memoryFile)).rejects.toThrow("ENOENT");
});

test("an unknown or incomplete command gets FAILED_TO_START, and a malformed one gets an error [RFC-24]", async () => {
  await using stage = await openStage();

  const unknown = await stage.result("command/execute", { command_path: ["nope"], args: "" });
  const lacking = await stage.result("command/execute", { command_path: ["memory", "add"] });
  const malformed = (await (
    await stage.call("command/execute", { command_path: "help" })
  ).json()) as { error: { code: number; message: string } };

  expect(unknown).toEqual({
    execution_id: "",
    status: "FAILED_TO_START",
    message: "there is no command /nope; /help lists the commands",
  });
  expect(lacking).toMatchObject({
    status: "FAILED_TO_START",
    message: expect.stringContaining("needs"),
  });
  expect(malformed.error).toMatchObject({ code: -32602, message: "command_path: expected a list" });
});

test("a command that needs confirmation reports its question and runs after the answer [RFC-23]", async () => {
  await using stage = await openStage();
  const asking = await readStream(
    await stage.call("command/execute", { command_path: ["ship"], args: "" }, stream),
  );
  const { execution_id: taskId, status } = asking[0]!.json.result;
  const question = asking.at(-1)?.json.result.status.message.parts[0].data;

  const answered = await readStream(
    await stage.call(
      "message/stream",
      {
        message: {
          kind: "message",
          role: "user",
          messageId: "answer",
          taskId,
          parts: [
            {
              kind: "data",
              data: { tool_call_id: question.tool_call_id, selected_option_id: "proceed_once" },
            },
          ],
        },
      },
      stream,
    ),
  );
  const contextId = asking[1]?.json.result.contextId;
  await readStream(
    await stage.call(
      "message/stream",
      {
        message: {
          kind: "message",
          role: "user",
          messageId: "edit",
          contextId,
          parts: [{ kind: "text", text: "write a.txt: x" }],
          metadata: {
            [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root, auto_execute: true },
          },
        },
      },
      stream,
    ),
  );
  const restoring = await stage.result("command/execute", {
    command_path: ["restore"],
    args: "2",
    context_id: contextId,
  });

  expect(status).toBe("AWAITING_SHELL_CONFIRMATION");
  expect(JSON.stringify(answered)).toContain("ship: SUCCEEDED");
  expect(restoring.status).toBe("AWAITING_ACTION_CONFIRMATION");
});

test.each([
  ["runs a turn", "wait 3600000 then say never", "working"],
  ["waits for an answer", "run echo hi", "input-required"],
])("a read-only command completes while the session %s [RFC-23]", async (_, text, state) => {
  await using stage = await openStage();
  const task = await stage.result("message/send", {
    configuration: { blocking: false },
    message: {
      kind: "message",
      role: "user",
      messageId: "m",
      parts: [{ kind: "text", text }],
      metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
    },
  });
  const stateOf = async () => (await stage.result("tasks/get", { id: task.id })).status.state;
  await expect.poll(stateOf, { timeout: 300_000 }).toBe(state);

  const run = { command_path: ["tools"], context_id: task.contextId };
  const accept = { Accept: "text/event-stream" };
  const [first, ...updates] = await readStream(await stage.call("command/execute", run, accept));

  expect(first?.json.result).toMatchObject({ status: "STARTED" });
  expect(updates.at(-1)?.json.result.status.state).toBe("completed");
  expect(await stateOf()).toBe(state);
  await stage.result("tasks/cancel", { id: task.id });
});
