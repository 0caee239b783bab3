import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { post, readStream } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";

const apps = path.resolve(import.meta.dirname, "../../apps");

interface SetupOptions {
  readonly policy?: string;
  /** Settings of the trusted workspace, of the home directory, and of `DT_SETTINGS_FILE`. */
  readonly settings?: {
    readonly workspace?: string;
    readonly home?: string;
    readonly defaults?: string;
  };
  readonly variables?: Record<string, string>;
}

/** Creates a trusted workspace, a home and a policy file, for a real dt-server or dt. */
async function openSetup({ policy, settings = {}, variables = {} }: SetupOptions) {
  const [workspace, home] = await Promise.all([openTempWorkspace(), openDataDir()]);
  const write = async (file: string, text: string | undefined) => {
    if (text === undefined) return;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const policyFile = path.join(home.directory, "policy.yaml");
  const settingsFile = path.join(home.directory, "defaults.yaml");
  await write(policyFile, policy);
  await write(settingsFile, settings.defaults);
  await write(path.join(workspace.root, ".dt", "config.yaml"), settings.workspace);
  await write(path.join(home.directory, ".config/dt/config.yaml"), settings.home);
  await write(
    path.join(home.directory, ".config/dt/trusted.json"),
    JSON.stringify({ trusted: [workspace.root] }),
  );
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home.directory,
    DT_DATA_DIR: home.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    ...(policy !== undefined && { DT_POLICY_FILE: policyFile }),
    ...(settings.defaults !== undefined && { DT_SETTINGS_FILE: settingsFile }),
    ...variables,
  };
  return {
    workspace,
    policyFile,
    root: workspace.root,
    start: () => startServerProcess(environment),
    /** Runs an app to its end. */
    run: (app: "cli" | "server", ...args: readonly string[]) =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const main = path.join(apps, app, "dist", "main.js");
        const child = execFile(
          process.execPath,
          [main, ...args],
          { cwd: workspace.root, env: environment },
          (error, stdout, stderr) =>
            resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
        child.stdin?.end();
      }),
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function prompt(text: string, settings: object) {
  return {
    message: {
      kind: "message",
      role: "user",
      messageId: randomUUID(),
      parts: [{ kind: "text", text }],
      metadata: { [DEVELOPMENT_TOOL_URI]: settings },
    },
  };
}

/** Sends a prompt that writes a file. Returns the last state, and whether the file was written. */
async function promptToWrite(url: string, setup: Awaited<ReturnType<typeof openSetup>>) {
  const params = prompt("write a.txt: hi", { workspace_path: setup.root });
  // Only clients of the session extension get warnings.
  const headers = { "X-A2A-Extensions": SESSION_URI };
  const events = await readStream(await post(url, "message/stream", params, headers));
  const isWritten = await setup.workspace.read("a.txt").then(
    () => true,
    () => false,
  );
  return { state: events.at(-1)?.json.result?.status?.state, isWritten, events };
}

test.each(["server", "cli"] as const)(
  "the app %s does not start with a misspelt key in the policy, and suggests the right spelling [SEC-10]",
  async (app) => {
    await using setup = await openSetup({ policy: "models: [offline]\nmaxMdoe: plan\n" });

    const { code, stderr, stdout } = await setup.run(
      app,
      ...(app === "cli" ? ["-p", "/help"] : []),
    );

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trim()).toBe(
      `${setup.policyFile}:2:1: maxMdoe is not a key of a policy; did you mean maxMode?`,
    );
  },
);

test("a policy file that does not exist stops the start", async () => {
  await using setup = await openSetup({ variables: { DT_POLICY_FILE: "/no/policy.yaml" } });

  const { code, stderr } = await setup.run("server");

  expect([code, stderr.trim()]).toEqual([2, "DT_POLICY_FILE: there is no file /no/policy.yaml"]);
});

test.each<[string, SetupOptions]>([
  ["the settings of a trusted workspace", { settings: { workspace: "mode: yolo" } }],
  ["the settings of the home directory", { settings: { home: "mode: yolo" } }],
  ["the defaults of every session", { settings: { defaults: "mode: yolo" } }],
  ["a variable", { variables: { DT_MODE: "yolo" } }],
])("%s cannot set a freer mode than the policy [SEC-10]", async (_, options) => {
  await using free = await openSetup(options);
  await using limited = await openSetup({ ...options, policy: "maxMode: default" });
  await using freeServer = await free.start();
  await using server = await limited.start();

  const written = await promptToWrite(freeServer.url, free);
  const asked = await promptToWrite(server.url, limited);

  expect([written.state, written.isWritten]).toEqual(["completed", true]);
  expect([asked.state, asked.isWritten]).toEqual(["input-required", false]);
  expect(JSON.stringify(asked.events)).toContain("the mode is default instead of yolo");
});

test("no client can get a freer mode than the policy, in any dialect [SEC-10]", async () => {
  await using setup = await openSetup({ policy: "maxMode: auto-edit" });
  await using server = await setup.start();
  const { url } = server;
  const settings = { workspace_path: setup.root, auto_execute: true };
  const wire = prompt("write a.txt: hi", settings);
  const gemini = { kind: "agent-settings", workspacePath: setup.root, autoExecute: true };
  const json = { "Content-Type": "application/json" };
  const send = (route: string, body: object) =>
    fetch(`${url}${route}`, { method: "POST", headers: json, body: JSON.stringify(body) });

  const refusals = await Promise.all([
    post(url, "message/send", wire),
    post(url, "message/send", {
      message: { ...wire.message, messageId: "gemini", metadata: { coderAgent: gemini } },
    }),
    post(
      url,
      "SendMessage",
      {
        message: {
          role: "ROLE_USER",
          messageId: "v1",
          parts: [{ text: "write a.txt: hi" }],
          metadata: { [DEVELOPMENT_TOOL_URI]: settings },
        },
      },
      { "A2A-Version": "1.0" },
    ),
    send("v1/message:send", {
      message: {
        role: "ROLE_USER",
        messageId: "rest",
        parts: [{ text: "write a.txt: hi" }],
        metadata: { [DEVELOPMENT_TOOL_URI]: settings },
      },
    }),
    send("tasks", { agentSettings: { workspaceRoot: setup.root, autoExecute: true } }),
    send("message/stream", {
      userMessage: "write a.txt: hi",
      agentSettings: { kind: "agent-settings", workspacePath: setup.root, autoExecute: true },
    }),
  ]);
  const texts = await Promise.all(refusals.map((each) => each.text()));
  const command = { command_path: ["mode"], args: "yolo" };
  const mode = await post(url, "command/execute", command, { "X-DT-Client-Id": randomUUID() });

  for (const text of texts) {
    expect(text).toContain("the policy of this server allows no mode that is freer than auto-edit");
  }
  expect(await mode.json()).toMatchObject({
    result: {
      status: "FAILED_TO_START",
      message:
        "the policy of this server does not allow the mode yolo; the freest mode is auto-edit",
    },
  });
  await expect(setup.workspace.read("a.txt")).rejects.toThrow("ENOENT");
});

test("neither the model nor a command can use a tool that the policy forbids [SEC-10]", async () => {
  await using setup = await openSetup({
    policy: "excludedTools: [write_file]",
    settings: { home: "allowedTools: [write_file, read_file]\nmode: yolo" },
  });
  await using server = await setup.start();

  const { events, isWritten } = await promptToWrite(server.url, setup);

  expect(isWritten).toBe(false);
  expect(JSON.stringify(events)).toContain("there is no tool called write_file");
});

test("a forbidden model is refused to clients and commands, and left out of settings [SEC-10]", async () => {
  await using setup = await openSetup({
    policy: "models: [offline]",
    settings: { workspace: "model: openai:big", home: "model: openai:small" },
    variables: { OPENAI_BASE_URL: "http://127.0.0.1:9/" },
  });
  await using server = await setup.start();
  const named = { workspace_path: setup.root, model: "openai:big" };

  const refused = await (await post(server.url, "message/send", prompt("say hi", named))).json();
  const kept = await promptToWrite(server.url, setup);
  const command = { command_path: ["model"], args: "openai:big" };
  const run = await post(server.url, "command/execute", command);

  expect(refused).toMatchObject({
    error: {
      message:
        "model: the policy of this server does not allow the model openai:big; it allows offline",
      data: { path: "model", reason: "forbidden" },
    },
  });
  expect(kept.state).toBe("input-required");
  expect(JSON.stringify(kept.events)).toContain("is ignored, because the policy of this server");
  expect(run.status).toBe(200);
});

test("MCP servers that the policy forbids are refused to clients and ignored in workspaces [SEC-04, SEC-10]", async () => {
  await using setup = await openSetup({
    policy: "mcpServers: { clients: none, workspaces: none }",
    settings: { workspace: "mcpServers: { local: { command: touch, args: [started.txt] } }" },
  });
  await using server = await setup.start();
  const settings = {
    workspace_path: setup.root,
    mcp_servers: { tools: { url: "https://mcp.example/" } },
  };

  const refused = await (await post(server.url, "message/send", prompt("say hi", settings))).json();
  const { events } = await promptToWrite(server.url, setup);

  expect(refused).toMatchObject({
    error: {
      message: "mcp_servers.tools: the policy of this server does not allow MCP servers of clients",
    },
  });
  expect(JSON.stringify(events)).toContain("mcpServers.local is ignored, because the policy");
  await expect(setup.workspace.read("started.txt")).rejects.toThrow("ENOENT");
});

test("workspaces must be below the roots in the policy and in DT_WORKSPACE_ROOTS [SEC-04, SEC-10]", async () => {
  await using other = await openTempWorkspace();
  await using setup = await openSetup({ policy: `workspaceRoots: ["${other.root}"]` });
  await using wide = await openSetup({
    policy: `workspaceRoots: ["${other.root}"]`,
    variables: { DT_WORKSPACE_ROOTS: path.dirname(other.root) },
  });

  await using narrow = await openSetup({
    policy: `workspaceRoots: ["${other.root}"]`,
    variables: { DT_WORKSPACE_ROOTS: "", CODER_AGENT_WORKSPACE_PATH: "." },
  });

  const refused = await setup.run("server");
  await using server = await wide.start();
  const inside = await post(
    server.url,
    "message/send",
    prompt("say hi", { workspace_path: other.root }),
  );
  const outside = await post(
    server.url,
    "message/send",
    prompt("say hi", { workspace_path: wide.root }),
  );

  const forbidden = await narrow.run("cli", "-p", "say hi");
  const started = await narrow.run("server");

  const problem = "lies outside the directories that the policy of this server allows";
  expect(refused.stderr).toContain("workspaceRoots has no directory in common with DT_WORKSPACE");
  expect(await inside.json()).toMatchObject({ result: { status: { state: "completed" } } });
  expect(await outside.json()).toMatchObject({
    error: { data: { reason: "workspace-refused" }, message: expect.stringContaining(problem) },
  });
  expect(forbidden).toEqual({
    code: 2,
    stdout: "",
    stderr: `${narrow.root} lies outside ${other.root}; change to another directory, or add it to workspaceRoots in ${narrow.policyFile}\n`,
  });
  expect(started.stderr).toContain(`add it to workspaceRoots in ${narrow.policyFile}`);
});

test("clients and people can read the limits before a request is refused [SEC-10]", async () => {
  await using setup = await openSetup({
    policy: "maxMode: default\nexcludedTools: [web_fetch]\nworkspaceRoots: [/]",
  });
  await using server = await setup.start();
  const { url } = server;
  const limits = { max_mode: "default", excluded_tools: ["web_fetch"] };

  const card = await (await fetch(`${url}.well-known/agent-card.json`)).json();
  const created = await fetch(`${url}tasks`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  const { taskId } = (await created.json()) as { readonly taskId: string };
  const response = await fetch(`${url}tasks/${taskId}/metadata`);
  const { metadata } = (await response.json()) as {
    readonly metadata: {
      readonly policy: object;
      readonly availableTools: readonly { readonly name: string }[];
    };
  };
  const shown = await setup.run("cli", "-p", "/permissions");

  expect(card).toMatchObject({
    capabilities: {
      extensions: expect.arrayContaining([
        expect.objectContaining({
          uri: SESSION_URI,
          params: expect.objectContaining({ policy: limits }),
        }),
      ]),
    },
  });
  expect(metadata.policy).toEqual(limits);
  expect(metadata.availableTools.map(({ name }) => name)).not.toContain("web_fetch");
  expect(shown.stdout).toContain("no mode is freer than default");
});

test("all other settings override the defaults of every session", async () => {
  const defaults = "mode: yolo\nmodel: offline";
  await using setup = await openSetup({ settings: { defaults } });
  await using strict = await openSetup({ settings: { defaults, home: "mode: default" } });
  await using server = await setup.start();
  await using strictServer = await strict.start();

  const free = await promptToWrite(server.url, setup);
  const asked = await promptToWrite(strictServer.url, strict);

  expect([free.isWritten, asked.isWritten]).toEqual([true, false]);
});
