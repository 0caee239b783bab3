import { expect, test } from "vitest";
import type { McpServerReport } from "../../mcp/mcp-manager.js";
import { EMPTY_SESSION_STATE } from "../../record/session-state.js";
import { say, scriptedModel } from "../../testing/scripted-model.js";
import type { CommandServices } from "../command-services.js";
import { type CommandStageOptions, openCommandStage } from "../open-command-stage.test-support.js";
import { createBuiltinCommands } from "./builtin-commands.js";

function openStage(
  services: Partial<CommandServices> = {},
  options: Partial<CommandStageOptions> = {},
) {
  return openCommandStage({
    ...options,
    commands: ({ workspace }) =>
      createBuiltinCommands({
        workspaceRoot: workspace.root,
        tools: () => [
          { name: "read_file", description: "Reads a file. And more." },
          { name: "glob", description: "Finds files by a pattern, e.g. src/*.ts. And more." },
          { name: "restore_checkpoint", description: "Undoes.", isInternal: true },
        ],
        currentModel: () => "offline",
        ...services,
      }),
  });
}

/** Options of a stage whose commands come from the host's own terminal. */
const atHost = { hostCredential: "alice's socket" };

test("/help shows all commands with their arguments, one per line [RFC-22]", async () => {
  await using stage = await openStage();

  const said = await stage.run("/help");

  expect(said.split("\n").slice(0, 9)).toEqual([
    "/help [command]: lists the commands, or describes one",
    "/tools: lists the tools that the model can use, and the excluded ones",
    "/mcp: shows the MCP servers with their status and tools",
    "  /mcp restart <server>: starts a failed server again",
    "/memory: shows and changes the context files that the model reads",
    "  /memory show: shows the whole text of the context files",
    "  /memory add <fact>: saves a fact for all later sessions",
    "  /memory refresh: reads the context files again",
    "  /memory list: lists the context files in use",
  ]);
  const names = (await stage.session().commands()).map(({ name }) => `/${name}`);
  expect(names.join(" ")).toBe(
    "/help /tools /mcp /memory /init /restore /extensions /list-extensions /model /mode /permissions /trust /stats /compress /clear /retry",
  );
});

test("/help COMMAND describes one command, and refuses an unknown one [RFC-22]", async () => {
  await using stage = await openStage();

  expect(await stage.run("/help /memory add")).toBe(
    "/memory add <fact>: saves a fact for all later sessions\n  <fact>: what to remember",
  );
  expect(await stage.run("/help nope")).toBe("there is no command /nope; /help lists the commands");
});

test("/tools lists the offered and the excluded tools", async () => {
  await using stage = await openStage({ excludedTools: () => ["web_fetch"] });

  expect(await stage.run("/tools")).toBe(
    "read_file: Reads a file\nglob: Finds files by a pattern, e.g. src/*.ts\nexcluded: web_fetch",
  );
});

test("/mcp shows servers, errors and tools, and restarts a failed server", async () => {
  const restarted: string[] = [];
  const servers: readonly McpServerReport[] = [
    {
      name: "files",
      status: "connected",
      tools: [{ name: "stat", description: "Looks at a file.", parameters: {} }],
    },
    { name: "web", status: "failed", error: "the MCP server web is not there", tools: [] },
  ];
  const mcp = { status: () => servers, restart: (name: string) => void restarted.push(name) };
  await using stage = await openStage({ mcp });

  expect(await stage.run("/mcp")).toBe(
    "files: connected, 1 tool\n  stat: Looks at a file\nweb: failed, 0 tools\n  the MCP server web is not there",
  );
  expect(await stage.run("/mcp restart files")).toContain("needs no restart");
  expect(await stage.run("/mcp restart web")).toContain("being started again");
  expect(await stage.run("/mcp restart x")).toBe(
    "there is no MCP server called x; known servers: files, web",
  );
  expect(restarted).toEqual(["web"]);
});

test("/memory shows, adds, refreshes and lists the context files", async () => {
  const facts: string[] = [];
  const files = ["/home/AGENTS.md"];
  await using stage = await openStage(
    {
      memory: {
        show: async () => facts.join("\n"),
        add: async (fact) => void facts.push(fact),
        refresh: async () => ({ files }),
        list: async () => files,
      },
    },
    atHost,
  );

  expect(await stage.run("/memory show")).toBe("nothing is remembered yet");
  expect(await stage.run("/memory add  tabs, not  spaces")).toBe("remembered: tabs, not  spaces");
  expect(await stage.run("/memory show")).toBe("tabs, not  spaces");
  expect(await stage.run("/memory refresh")).toBe("1 context file is in use:\n  /home/AGENTS.md");
  expect(await stage.run("/memory list")).toBe("1 context file is in use:\n  /home/AGENTS.md");
  expect(await stage.run("/memory add")).toBe("/memory add needs fact: what to remember");
});

test("a command reports that its service is missing in the session", async () => {
  await using stage = await openStage();

  expect(await stage.run("/mcp")).toBe("this session has no MCP servers");
  expect(await stage.run("/memory show")).toBe("this session has no memory");
  expect(await stage.run("/extensions list")).toBe("this session has no extensions");
  expect(await stage.run("/restore")).toBe("this session keeps no checkpoints");
  expect(await stage.run("/model other")).toBe("the model cannot be changed");
});

test("/extensions lists extensions and switches them on and off [SRV-12]", async () => {
  const disabled = new Set<string>();
  await using stage = await openStage(
    {
      extensions: {
        list: async () => [
          { name: "docs", version: "1.2.0", isEnabled: !disabled.has("docs") },
          { name: "git", version: "0.1.0", isEnabled: !disabled.has("git") },
        ],
        enable: async (name) => void disabled.delete(name),
        disable: async (name) => void disabled.add(name),
      },
    },
    atHost,
  );

  expect(await stage.run("/extensions disable git")).toBe(
    "git is disabled from the next session on",
  );
  expect(await stage.run("/extensions list")).toBe("docs 1.2.0: enabled\ngit 0.1.0: disabled");
  expect(JSON.parse(await stage.run("/list-extensions"))).toEqual({
    extensions: [
      { name: "docs", version: "1.2.0", enabled: true },
      { name: "git", version: "0.1.0", enabled: false },
    ],
  });
  expect(await stage.run("/extensions enable git")).toBe("git is enabled from the next session on");
  expect(await stage.run("/extensions enable x")).toBe(
    "there is no extension called x; known extensions: docs, git",
  );
  expect([...disabled]).toEqual([]);
});

test("/mode shows the mode, sets a known mode and refuses other names [RFC-24]", async () => {
  await using stage = await openStage({}, { mode: "auto-edit" });

  expect(await stage.run("/mode")).toMatch(/^the mode is auto-edit; the modes are\n {2}default: /);
  expect(await stage.run("/mode plan")).toBe(
    "the mode of your prompts is now plan: only reading is allowed",
  );
  expect(await stage.run("/mode")).toMatch(/^the mode is plan;/);
  expect(await stage.run("/mode toString")).toBe(
    "there is no mode called toString; the modes are default, auto-edit, yolo, plan",
  );
  expect(await stage.session().mode("alice's socket")).toBe("plan");
});

test("/model shows the model, sets a known model and refuses other names", async () => {
  await using stage = await openStage(
    { modelNames: () => ["offline", "scripted"] },
    { createModel: () => scriptedModel([[say("from the other model")]]) },
  );

  expect(await stage.run("/model")).toBe("the model is offline; known models: offline, scripted");
  expect(await stage.run("/model scripted")).toBe("the model is now scripted");
  expect(await stage.run("/model")).toContain("the model is scripted");
  expect(await stage.run("/model x")).toBe(
    "there is no model called x; known models: offline, scripted",
  );
  await stage.prompt("hello");
  expect(stage.texts().at(-1)).toBe("from the other model");
});

test("/stats shows the number of turns, and the tokens of the last request", async () => {
  const usage = { inputTokens: 70, outputTokens: 7, thoughtTokens: 3, cachedTokens: 1 };
  await using stage = await openStage({}, { model: scriptedModel([[{ type: "usage", usage }]]) });
  await stage.prompt("hello");

  const said = await stage.run("/stats");

  expect(said).toContain("model: offline\nturns: 2\n");
  expect(said).toContain("context: 77 tokens in the last request");
});

test("/stats says that the offline model counts no tokens", async () => {
  await using stage = await openStage({}, { model: scriptedModel([[]]) });

  expect(await stage.run("/stats")).toContain(
    "tokens: 0, because the offline model counts none; budgets estimate them\n",
  );
});

test("/stats shows the steps and tokens of the session", async () => {
  const usage = { inputTokens: 70, outputTokens: 7, thoughtTokens: 3, cachedTokens: 1 };
  const commands = createBuiltinCommands({
    workspaceRoot: "/",
    tools: () => [],
    currentModel: () => "m",
  });
  const state = { ...EMPTY_SESSION_STATE, totals: { steps: 4, usage } };

  const outcome = await commands
    .find(({ name }) => name === "stats")
    ?.run?.({
      args: "",
      state,
      caller: { user: "alice", isHost: false },
      mode: "default",
      signal: new AbortController().signal,
    });

  expect(outcome).toMatchObject({
    say: expect.stringContaining("steps: 4\ntokens: 70 in (1 cached), 7 out, 3 thoughts"),
  });
});

test("/init asks the model to write AGENTS.md unless the file exists", async () => {
  await using stage = await openStage(
    {},
    {
      files: { "src/a.ts": "", "package.json": "{}" },
      model: scriptedModel([[say("written")]]),
    },
  );

  expect(await stage.run("/init")).toBe("written");
  expect(stage.lastPrompt()).toContain("write AGENTS.md in its root");
  expect(stage.lastPrompt()).toContain("In the root there are: package.json, src/.");

  await stage.write("AGENTS.md", "# here");
  expect(await stage.run("/init")).toBe(
    "AGENTS.md exists already; /init --force lets the model replace it",
  );
  await stage.run("/init --force");
  expect(stage.lastPrompt()).toContain("There is an AGENTS.md already");
  expect(await stage.run("/init --now")).toBe("/init has no option --now; it has --force");
});

test("after /clear, /compress reports that there is nothing to compact", async () => {
  await using stage = await openStage();
  await stage.prompt("say hello");

  expect(await stage.run("/clear")).toContain("the conversation is removed");
  expect(stage.session().snapshot().history).toEqual([]);
  expect(await stage.run("/compress")).toBe("there is nothing to compact yet");
});

test("/retry is refused if no turn has failed", async () => {
  await using stage = await openStage();

  expect(await stage.run("/retry")).toBe("no turn has failed");
});

test("an unknown command does not start, and /extensions alone lists its subcommands [RFC-22, RFC-24]", async () => {
  await using stage = await openStage();

  expect(await stage.begin("/nope")).toMatchObject({ status: "FAILED_TO_START" });
  expect(await stage.run("/extensions")).toContain("/extensions list: lists extensions");
});
