import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  type ClientCapabilities,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { choose, openEditor } from "./open-editor.js";

const { session } = methods.agent;

test("initialize returns dt's capabilities and version 1, even if the editor names another version [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root });

  const answered = await editor.agent.request(methods.agent.initialize, {
    protocolVersion: 7,
    clientCapabilities: { auth: { terminal: true } },
  });

  expect(answered).toEqual({
    protocolVersion: 1,
    agentInfo: { name: "dt", title: "dt", version: expect.any(String) },
    agentCapabilities: expect.objectContaining({ loadSession: true }),
    authMethods: [expect.objectContaining({ type: "terminal", args: ["--setup"] })],
  });
  await expect(
    editor.agent.request(methods.agent.authenticate, { methodId: "nope" }),
  ).rejects.toMatchObject({ code: -32602 });
});

test("dt offers its set-up to an editor that declares a terminal only in its metadata [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root });
  const initialize = (clientCapabilities: ClientCapabilities) =>
    editor.agent.request<InitializeResponse>(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities,
    });

  const offered = await initialize({ _meta: { "terminal-auth": true } });
  const without = await initialize({ terminal: true });

  expect(offered.authMethods).toMatchObject([{ type: "terminal" }]);
  expect(without.authMethods).toEqual([]);
});

test("a tool call shows its diff, asks a question, and writes the file after the answer [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root, answer: choose("allow_once") });
  const sessionId = await editor.open(workspace.root);

  const reason = await editor.prompt(sessionId, "write hello.txt: hello then say done");

  const file = path.join(workspace.root, "hello.txt");
  const calls = editor.updates.filter((update) => update.sessionUpdate.startsWith("tool_call"));
  expect(calls).toEqual([
    expect.objectContaining({
      sessionUpdate: "tool_call",
      kind: "edit",
      status: "pending",
      content: [{ type: "diff", path: file, oldText: null, newText: "hello" }],
      locations: [{ path: file }],
      rawInput: { file_path: "hello.txt", content: "hello" },
    }),
    expect.objectContaining({ sessionUpdate: "tool_call_update", status: "in_progress" }),
    expect.objectContaining({ sessionUpdate: "tool_call_update", status: "completed" }),
  ]);
  expect(editor.questions).toMatchObject([
    {
      sessionId,
      options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
      _meta: { dt: { canEdit: true } },
    },
  ]);
  expect({ reason, said: editor.said() }).toEqual({ reason: "end_turn", said: "done" });
  expect(await readFile(file, "utf8")).toBe("hello");
});

test("an editor's answer may contain edited content or a reason [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const metas = [{ newContent: "mine" }, { reason: "use tabs" }];
  await using editor = await openEditor({
    home: home.root,
    async answer({ options }) {
      const dt = metas.shift() ?? {};
      const option = options.at("reason" in dt ? -1 : 0);
      return { outcome: { outcome: "selected", optionId: option?.optionId ?? "", _meta: { dt } } };
    },
  });
  const sessionId = await editor.open(workspace.root);

  await editor.prompt(sessionId, "write a.txt: theirs");
  await editor.prompt(sessionId, "write b.txt: theirs");

  expect(await workspace.read("a.txt")).toBe("mine");
  await expect(workspace.read("b.txt")).rejects.toThrow("ENOENT");
});

test("an answer that is cancelled or has an unknown option runs nothing [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const outcomes = [
    { outcome: "selected" as const, optionId: "yes, everything" },
    { outcome: "cancelled" as const },
  ];
  await using editor = await openEditor({
    home: home.root,
    answer: async () => ({ outcome: outcomes.shift() ?? { outcome: "cancelled" } }),
  });
  const sessionId = await editor.open(workspace.root);

  await editor.prompt(sessionId, "run touch one");
  await editor.prompt(sessionId, "run touch two");

  expect(editor.questions).toHaveLength(2);
  await expect(workspace.read("one")).rejects.toThrow("ENOENT");
  await expect(workspace.read("two")).rejects.toThrow("ENOENT");
});

test("a cancel ends the turn and its question, and the next prompt runs [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({
    home: home.root,
    answer: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }));
      }),
  });
  const sessionId = await editor.open(workspace.root);

  const asking = editor.prompt(sessionId, "run touch never");
  const waiting = editor.prompt(sessionId, "say never");
  await editor.asked();
  await editor.agent.notify(session.cancel, { sessionId });

  expect(await Promise.all([asking, waiting])).toEqual(["cancelled", "cancelled"]);
  expect(await editor.prompt(sessionId, "say hello")).toBe("end_turn");
  expect(editor.said()).toBe("hello");
  await expect(workspace.read("never")).rejects.toThrow("ENOENT");
});

test("an editor sets mode and model, runs slash commands, and sees each change [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root });
  const sessionId = await editor.open(workspace.root);

  expect(await editor.agent.request(session.setMode, { sessionId, modeId: "yolo" })).toEqual({});
  await editor.update((update) => update.sessionUpdate === "current_mode_update");
  expect(await editor.prompt(sessionId, "run touch here")).toBe("end_turn");
  const planned = { sessionId, configId: "mode", value: "plan" };
  const { configOptions } = await editor.agent.request<SetSessionConfigOptionResponse>(
    session.setConfigOption,
    planned,
  );
  const model = { sessionId, configId: "model", value: "offline" };
  await editor.agent.request(session.setConfigOption, model);
  expect(await editor.prompt(sessionId, "/mode")).toBe("end_turn");

  expect(editor.questions).toEqual([]);
  expect(await workspace.read("here")).toBe("");
  expect(configOptions).toMatchObject([{ id: "mode", currentValue: "plan" }, { id: "model" }]);
  expect(editor.said()).toContain("the mode is plan");
  expect(editor.said()).not.toContain("the mode of your prompts is now");
  expect(editor.updates.filter(isCommands)).toHaveLength(1);
  for (const request of [
    { ...planned, value: "fast" },
    { ...planned, configId: "colour" },
    { ...planned, sessionId: "nope" },
  ]) {
    await expect(editor.agent.request(session.setConfigOption, request)).rejects.toThrow();
  }
});

test("images, embedded files and links reach the agent; audio is refused [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root });
  const sessionId = await editor.open(workspace.root);

  const { stopReason } = await editor.agent.request(session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "say seen " },
      { type: "resource_link", name: "a", uri: "file:///work/a.ts" },
      { type: "resource", resource: { uri: "file:///work/b%20c.ts", text: "const b = 1;" } },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ],
  });
  const audio = [{ type: "audio" as const, data: "AAAA", mimeType: "audio/wav" }];

  await expect(
    editor.agent.request(session.prompt, { sessionId, prompt: audio }),
  ).rejects.toMatchObject({ code: -32602 });
  expect(stopReason).toBe("end_turn");
  expect(editor.said()).toContain("seen @/work/a.ts@/work/b c.ts");
});

test("several sessions are listed, closed, resumed and deleted [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using one = await openTempWorkspace();
  await using two = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root });
  const first = await editor.open(one.root);
  const second = await editor.open(two.root);
  const both = [editor.prompt(first, "say one"), editor.prompt(second, "say two")];
  expect(await Promise.all(both)).toEqual(["end_turn", "end_turn"]);

  const list = async (cwd?: string) =>
    (await editor.agent.request(session.list, cwd === undefined ? {} : { cwd })).sessions;
  expect((await list()).map(({ cwd }) => cwd).sort()).toEqual([one.root, two.root].sort());
  expect(await list(one.root)).toEqual([
    { sessionId: first, cwd: one.root, title: "say one", updatedAt: expect.any(String) },
  ]);

  await editor.agent.request(session.close, { sessionId: first });
  await expect(editor.prompt(first, "say closed")).rejects.toMatchObject({ code: -32002 });
  const resumed = { sessionId: first, cwd: one.root, mcpServers: [] };
  await editor.agent.request(session.resume, resumed);
  expect(await editor.prompt(first, "say again")).toBe("end_turn");
  await editor.agent.request(session.delete, { sessionId: second });

  expect((await list()).map(({ sessionId }) => sessionId)).toEqual([first]);
  await editor.agent.request(session.close, { sessionId: first });
  await expect(editor.agent.request(session.load, { ...resumed, cwd: two.root })).rejects.toThrow(
    `the session belongs to ${one.root}`,
  );
  await expect(
    editor.agent.request(session.load, { ...resumed, sessionId: second }),
  ).rejects.toMatchObject({ code: -32002 });
});

test("wrong requests are refused with a reason, and the connection continues [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root });
  const open = (request: object) =>
    editor.agent.request(session.new, { cwd: workspace.root, mcpServers: [], ...request });

  await expect(open({ cwd: "relative" })).rejects.toThrow("is not an absolute path");
  await expect(open({ cwd: "/no/such/place" })).rejects.toThrow("there is no directory");
  await expect(open({ additionalDirectories: ["/other"] })).rejects.toThrow("has one directory");
  await expect(
    open({ mcpServers: [{ type: "sse", name: "s", url: "http://h", headers: [] }] }),
  ).rejects.toThrow("use Streamable HTTP or stdio");
  await expect(editor.agent.request("_unknown/method", {})).rejects.toMatchObject({ code: -32601 });
  const sessionId = await editor.open(workspace.root);
  await expect(editor.prompt(sessionId, "  ")).rejects.toThrow("the prompt is empty");
  expect(await editor.prompt(sessionId, "say on")).toBe("end_turn");
});

test("a session without a model key is refused with an error that names the key [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root, args: ["--model", "gemini-2.5-pro"] });

  await expect(editor.open(home.root)).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining("GEMINI_API_KEY"),
  });
});

test("an MCP server that the editor names is started only after an answer [ACP-01, SEC-04]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root, answer: choose("reject_once") });
  const server = { name: "own", command: "touch", args: ["started"], env: [] };
  const request = { cwd: workspace.root, mcpServers: [server] };
  const { sessionId } = await editor.agent.request<NewSessionResponse>(session.new, request);

  await editor.prompt(sessionId, "say hello");

  expect(editor.questions).toMatchObject([{ toolCall: { name: "start_mcp_server" } }]);
  await expect(workspace.read("started")).rejects.toThrow("ENOENT");
});

test("dt exits when the editor closes, and has written only messages of the protocol", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const editor = await openEditor({ home: home.root });
  await editor.prompt(await editor.open(workspace.root), "say hello");

  expect(await editor.close()).toBe(0);
  expect(await editor.stderr).toBe("");
});

function isCommands({ sessionUpdate }: { readonly sessionUpdate: string }): boolean {
  return sessionUpdate === "available_commands_update";
}
