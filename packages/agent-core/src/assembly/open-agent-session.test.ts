import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { AgentSettings, Caller, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { driveSession } from "../testing/drive-session.js";
import { geminiText, openGeminiStandIn } from "../testing/model-stand-in/gemini-stand-in.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { openAgentSession } from "./open-agent-session.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve", credential: "socket 1" };
const isEnd = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && ["completed", "failed"].includes(event.state);
const isAsking = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.waiting !== undefined;

async function openStage(
  options: Partial<AgentSessionOptions> = {},
  prepare = async (_root: string, _home: string) => {},
) {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  await prepare(workspace.root, home.root);
  const ledger = openMemoryLedger();
  const warnings: string[] = [];
  const session = driveSession(
    await openAgentSession({
      workspacePath: workspace.root,
      home: home.root,
      environment: { PATH: process.env.PATH },
      dataDirectory: path.join(home.root, "data"),
      ledger,
      onWarning: (warning) => warnings.push(warning),
      ...options,
    }),
  );
  let messages = 0;
  return {
    workspace,
    home,
    session,
    ledger,
    warnings,
    prompt: (text: string) =>
      session.prompt(
        { messageId: `m${++messages}`, taskId: "task", parts: [{ type: "text", text }] },
        alice,
      ),
    command: (command: string, args = "") =>
      session.runCommand(
        { messageId: `m${++messages}`, taskId: `c${messages}`, path: command.split(" "), args },
        alice,
      ),
    answer: (selectedOptionId: string) => {
      const call = session
        .snapshot()
        .turn?.calls.find(({ toolCall }) => toolCall.confirmationRequest);
      return session.answer(
        { toolCallId: call!.toolCall.toolCallId, selectedOptionId, modifiedDetails: undefined },
        alice,
      );
    },
    async until(fits: (event: SessionEvent) => boolean, count = 1): Promise<SessionEvent> {
      let seen = 0;
      for await (const event of ledger.read()) {
        if (fits(event)) seen += 1;
        if (seen === count) return event;
      }
      throw new Error("the ledger ended");
    },
    texts: () =>
      ledger.events.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : [])),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const settingsWith = (settings: Partial<AgentSettings>): AgentSettings => ({
  workspacePath: "/",
  allowedTools: [],
  mcpServers: {},
  ...settings,
});

/** A real MCP server over stdio in one file, with one tool, `shout`. */
const serverSource = `
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    if (method === "initialize") answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "loud", version: "1" } });
    if (method === "tools/list") answer({ tools: [{ name: "shout", description: "shouts", inputSchema: { type: "object", properties: { text: { type: "string" } } } }] });
    if (method === "tools/call") answer({ content: [{ type: "text", text: params.arguments.text.toUpperCase() }] });
  }
});
`;

test("the model gets only the tools that the client allows [RFC-07]", async () => {
  await using standIn = await openGeminiStandIn([geminiText("hello")]);
  await using stage = await openStage({
    client: settingsWith({ allowedTools: ["read_file", "glob"], model: "gemini-2.5-pro" }),
    environment: {
      PATH: process.env.PATH,
      GEMINI_API_KEY: "k",
      GOOGLE_GEMINI_BASE_URL: standIn.url,
    },
  });

  await stage.prompt("hello");
  await stage.until(isEnd);

  const body = standIn.requests[0]?.body as {
    tools: { functionDeclarations: { name: string }[] }[];
  };
  expect(body.tools[0]?.functionDeclarations.map(({ name }) => name)).toEqual([
    "read_file",
    "glob",
  ]);
  expect(stage.session.metadata().availableTools.map(({ name }) => name)).toEqual([
    "read_file",
    "glob",
  ]);
});

test("a client cannot allow a tool that the host excludes [RFC-07]", async () => {
  await using stage = await openStage({
    environment: { PATH: process.env.PATH, DT_ALLOWED_TOOLS: "read_file,glob" },
    client: settingsWith({ allowedTools: ["read_file", "run_shell_command"] }),
  });

  const { availableTools } = stage.session.metadata();

  expect(availableTools.map(({ name }) => name)).toEqual(["read_file"]);
});

test("a client's MCP server starts only after approval [RFC-25, SEC-04]", async () => {
  await using stage = await openStage({
    client: settingsWith({
      mcpServers: {
        loud: {
          command: process.execPath,
          args: ["-e", serverSource],
          env: {},
          headers: {},
          options: undefined,
        },
      },
    }),
  });
  await stage.prompt('call shout {"text":"hi"} then say done');
  const question = await stage.until(isAsking);
  const before = stage.session.metadata().mcpServers;

  await stage.answer("proceed_once");
  await stage.until(isAsking, 2);
  const after = stage.session.metadata().mcpServers;
  await stage.answer("proceed_once");
  await stage.until(isEnd);

  expect(question).toMatchObject({
    waiting: [
      {
        toolName: "start_mcp_server",
        confirmationRequest: { details: { $case: "executeDetails" } },
      },
    ],
  });
  expect(before).toEqual([]);
  expect(after).toMatchObject([{ name: "loud", status: "connected", tools: [{ name: "shout" }] }]);
  const results = stage.session
    .snapshot()
    .history.flatMap((item) => (item.role === "tool" ? item.results : []));
  expect(results.map(({ text }) => text)).toEqual(["HI"]);
  expect(stage.texts()).toEqual(["done"]);
});

test("tools with the same name on several servers of a client get different prefixes [SEC-04]", async () => {
  const loud = {
    command: process.execPath,
    args: ["-e", serverSource],
    env: {},
    headers: {},
    options: undefined,
  };
  await using stage = await openStage({
    client: settingsWith({ mcpServers: { one: loud, two: loud, three: loud } }),
  });
  await stage.prompt("say done");
  for (const count of [1, 2, 3]) {
    await stage.until(isAsking, count);
    await stage.answer("proceed_once");
  }
  await stage.until(isEnd);

  const names = stage.session.metadata().availableTools.map(({ name }) => name);
  expect(names.filter((name) => name.includes("shout"))).toEqual([
    "one__shout",
    "two__shout",
    "three__shout",
  ]);
});

test("a client's server does not rename a tool of a configured server [SEC-04]", async () => {
  const args = ["-e", serverSource];
  await using stage = await openStage({
    flags: { mcpServers: { own: { command: process.execPath, args } } },
    client: settingsWith({
      mcpServers: {
        other: { command: process.execPath, args, env: {}, headers: {}, options: undefined },
      },
    }),
  });
  await stage.prompt("say done");
  await stage.until(isAsking);
  await stage.answer("proceed_once");
  await stage.until(isEnd);

  const names = stage.session.metadata().availableTools.map(({ name }) => name);
  expect(names.filter((name) => name.includes("shout"))).toEqual(["shout", "other__shout"]);
});

test("a rejected MCP server of a client is not started, and the turn continues [SEC-04]", async () => {
  await using stage = await openStage({
    client: settingsWith({
      mcpServers: {
        loud: { command: "touch", args: ["started"], env: {}, headers: {}, options: undefined },
      },
    }),
  });
  await stage.prompt("say done");
  await stage.until(isAsking);

  await stage.answer("cancel");
  await stage.until(isEnd);

  expect(stage.texts()).toEqual(["done"]);
  await expect(stage.workspace.read("started")).rejects.toThrow("ENOENT");
});

test("the settings of an untrusted workspace are ignored with a warning [SRV-11]", async () => {
  const prepare = async (root: string) => {
    await mkdir(path.join(root, ".dt"));
    await writeFile(path.join(root, ".dt", "config.yaml"), "mode: yolo\n");
  };
  await using stage = await openStage({}, prepare);

  await stage.prompt("write a.txt: hi");
  await stage.until(isAsking);

  expect(stage.warnings).toEqual([expect.stringContaining("not trusted")]);
});

/** Writes settings with yolo mode and one custom command into a workspace. */
async function writeConfiguration(root: string): Promise<void> {
  await mkdir(path.join(root, ".dt", "commands"), { recursive: true });
  await writeFile(path.join(root, ".dt", "config.yaml"), "mode: yolo\n");
  await writeFile(path.join(root, ".dt", "commands", "greet.md"), "Say hello.\n");
}

test("the warning about an untrusted workspace names the ignored files and dt --trust [SEC-08]", async () => {
  await using stage = await openStage({}, writeConfiguration);

  const { root } = stage.workspace;
  const advice = `run dt --trust in it, or dt-server trust ${root}`;
  expect(stage.warnings).toEqual([
    expect.stringMatching(/config\.yaml: is ignored/),
    expect.stringMatching(/commands: is ignored/),
  ]);
  expect(stage.warnings.every((warning) => warning.endsWith(advice))).toBe(true);
  expect((await stage.session.commands()).map(({ name }) => name)).not.toContain("greet");
});

test("/trust at the host's terminal takes effect at the next start [SEC-08]", async () => {
  const host = { hostCredential: "socket 1" };
  await using stage = await openStage(host, writeConfiguration);
  const reopen = () =>
    openAgentSession({
      workspacePath: stage.workspace.root,
      home: stage.home.root,
      environment: { PATH: process.env.PATH },
      dataDirectory: path.join(stage.home.root, "data-2"),
      ledger: openMemoryLedger(),
    });

  await stage.command("trust");
  await stage.until(isEnd);
  const trusted = await reopen();
  await stage.command("trust", "revoke");
  await stage.until(isEnd, 2);
  const revoked = await reopen();

  expect(stage.texts()).toEqual([
    expect.stringContaining(
      "is trusted; restart dt to use its settings, commands, MCP servers and extensions, which can run programs on this machine; /trust revoke undoes it",
    ),
    expect.stringContaining("is no longer trusted; restart dt"),
  ]);
  const sessions = [trusted, revoked].map(driveSession);
  const modes = await Promise.all(sessions.map((session) => session.mode(undefined)));
  expect(modes).toEqual(["yolo", "default"]);
  const commands = await Promise.all(sessions.map((session) => session.commands()));
  const hasGreet = commands.map((list) => list.some(({ name }) => name === "greet"));
  expect(hasGreet).toEqual([true, false]);
  await Promise.all([trusted.close(), revoked.close()]);
});

test.for([
  ["/trust", ""],
  ["/trust revoke", "revoke"],
] as const)("a client cannot run %s [SEC-08]", async ([, args]) => {
  await using stage = await openStage({ hostCredential: "terminal" }, writeConfiguration);

  const begun = await stage.command("trust", args);

  expect(begun).toEqual({
    status: "FAILED_TO_START",
    message: expect.stringMatching(/only the person at the host's own terminal.*dt --trust/),
  });
  expect(await readdir(stage.home.root)).not.toContain(".config");
});

test("the context files of a workspace are in the system prompt and in /memory show", async () => {
  await using standIn = await openGeminiStandIn([geminiText("hello")]);
  await using stage = await openStage(
    {
      environment: {
        PATH: process.env.PATH,
        GEMINI_API_KEY: "k",
        GOOGLE_GEMINI_BASE_URL: standIn.url,
      },
    },
    (root) => writeFile(path.join(root, "AGENTS.md"), "Always use tabs."),
  );

  await stage.prompt("hello");
  await stage.until(isEnd);
  await stage.command("memory show");
  await stage.until(isEnd, 2);

  expect(JSON.stringify(standIn.requests[0]?.body)).toContain("Always use tabs.");
  expect(stage.texts().at(-1)).toContain("Always use tabs.");
});

test("/restore undoes the changes of a turn after approval [RFC-23]", async () => {
  await using stage = await openStage({ flags: { mode: "auto-edit" } }, (root) =>
    writeFile(path.join(root, "a.txt"), "before"),
  );
  await stage.prompt("write a.txt: after then write b.txt: new");
  await stage.until(isEnd);
  await stage.command("mode", "default");
  await stage.until(isEnd, 2);

  const begun = await stage.command("restore", "1");
  await stage.answer("proceed_once");
  await stage.until(isEnd, 3);

  expect(begun.status).toBe("AWAITING_ACTION_CONFIRMATION");
  expect(await stage.workspace.read("a.txt")).toBe("before");
  await expect(stage.workspace.read("b.txt")).rejects.toThrow("ENOENT");
});

test("a session lists the built-in commands [RFC-22]", async () => {
  await using stage = await openStage();

  const names = (await stage.session.commands()).map(({ name }) => name);

  expect(names).toEqual([
    "help",
    "tools",
    "mcp",
    "memory",
    "init",
    "restore",
    "extensions",
    "list-extensions",
    "model",
    "mode",
    "permissions",
    "trust",
    "stats",
    "compress",
    "clear",
    "retry",
  ]);
});
