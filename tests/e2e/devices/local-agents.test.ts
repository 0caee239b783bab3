import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { findLocalAgents } from "@dt/client/node";
import { expect, test } from "vitest";
import { openScreen } from "../../terminal/support/open-screen.js";
import { sendAs } from "../auth/token-stage.js";
import { startServerProcess } from "../support/server-process.js";

const ENTER = "\r";

/** Starts a dt-server on a data directory of its own, which requires a token from every process. */
async function openServer() {
  const workspace = await openTempWorkspace();
  const dataDirectory = path.join(workspace.root, "data");
  const environment = { DT_DATA_DIR: dataDirectory };
  const start = async (port: string) =>
    await startServerProcess(
      {
        ...environment,
        DT_WORKSPACE_ROOTS: workspace.root,
        CODER_AGENT_PORT: port,
        DT_AUTH: "required",
        DT_MODEL: "offline",
      },
      workspace.root,
    );
  const server = await start("0");
  return {
    workspace,
    environment,
    server,
    /** Starts a second server on the port of the first, after that one was stopped. */
    restart: async () => await start(new URL(server.url).port),
    agentFiles: path.join(dataDirectory, "agents"),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

test("dt attach goes on after its dt-server was started again with another token [TEAM-03]", async () => {
  await using stage = await openServer();
  const { environment, server, workspace } = stage;
  const args = ["attach", server.url];
  await using screen = openScreen({ cwd: workspace.root, args, columns: 120, environment });
  await screen.until("Ask anything");
  screen.type(`write a.txt: x${ENTER}`);
  await screen.until("Allow once");

  await server.stop();
  await screen.until("connection lost");
  await using _ = await stage.restart();
  await screen.until(
    (text) => text.includes("› 1 Allow once") && !text.includes("connection lost"),
  );
  screen.type("1");

  await screen.until("✓ write_file");
});

test("a client finds a dt-server that requires a token, and connects with the token in the agent file [TEAM-03]", async () => {
  await using stage = await openServer();

  const [agent] = await findLocalAgents({ environment: stage.environment });
  const client = await connect(agent?.url ?? "", { token: agent?.token });
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say hello",
  });
  for await (const _ of task.events());
  client.close();

  expect(agent).toMatchObject({
    url: stage.server.url,
    program: "dt-server",
    pid: stage.server.child.pid,
    workspacePath: stage.workspace.root,
  });
  expect(task.view().state).toBe("completed");
});

test("an agent file is private, and disappears when its server stops [TEAM-03]", async () => {
  await using stage = await openServer();
  const [name = ""] = await readdir(stage.agentFiles);
  const { mode } = await stat(path.join(stage.agentFiles, name));
  const folder = await stat(stage.agentFiles);

  await stage.server.stop();

  expect([mode & 0o777, folder.mode & 0o777]).toEqual([0o600, 0o700]);
  expect(await readdir(stage.agentFiles)).toEqual([]);
});

test("a killed server is not found, and the next server removes its agent file", async () => {
  await using stage = await openServer();
  await stage.server.kill();
  const [stale] = await readdir(stage.agentFiles);

  const found = await findLocalAgents({ environment: stage.environment });
  await writeFile(path.join(stage.agentFiles, "foreign.json"), "{}");
  await using _next = await startServerProcess(
    { ...stage.environment, DT_WORKSPACE_ROOTS: stage.workspace.root, CODER_AGENT_PORT: "0" },
    stage.workspace.root,
  );

  expect(found).toEqual([]);
  const names = await readdir(stage.agentFiles);
  expect(names).toContain("foreign.json");
  expect(names).not.toContain(stale);
});

test("the token of an agent file is refused through a proxy, and by any other server process", async () => {
  await using stage = await openServer();
  await using other = await startServerProcess(
    { DT_DATA_DIR: `${stage.environment.DT_DATA_DIR}2`, CODER_AGENT_PORT: "0" },
    stage.workspace.root,
  );
  const [agent] = await findLocalAgents({ environment: stage.environment });
  const list = { token: agent?.token, body: { jsonrpc: "2.0", id: 1, method: "tasks/list" } };

  const direct = await sendAs(stage.server.url, list);
  const proxied = await sendAs(stage.server.url, { ...list, headers: { Via: "1.1 proxy" } });
  const elsewhere = await sendAs(other.url, list);

  expect([direct.status, proxied.status, elsewhere.status]).toEqual([200, 401, 401]);
  expect((await proxied.json()).error.message).toContain("on the machine of the agent");
});

test("dt attach joins the only agent of this machine without an address [TEAM-03]", async () => {
  await using workspace = await openTempWorkspace();
  const { root: cwd } = workspace;
  await using live = openScreen({ cwd, args: ["--a2a-port", "0"], columns: 120 });
  await live.until(/A2A http:\S+/);
  await using attached = openScreen({ cwd, args: ["attach"], columns: 120 });

  await attached.until(/attached to http:\S+/);
  await attached.until("Ask anything");
  attached.type(`say together${ENTER}`);

  await attached.until("● together");
  await live.until("● together");
});

test("if several agents run, dt attach asks, and lists agents of the current directory first [TEAM-03]", async () => {
  await using stage = await openServer();
  await using here = await openTempWorkspace();
  const { environment } = stage;
  await using live = openScreen({
    cwd: here.root,
    args: ["--a2a-port", "0"],
    columns: 160,
    environment,
  });
  await live.until(/A2A http:\S+/);
  await using attached = openScreen({
    cwd: stage.workspace.root,
    args: ["attach"],
    columns: 160,
    environment,
  });

  const question = await attached.until("Attach to which one? [1]");
  attached.type(`9${ENTER}`);
  await attached.until("type a number from 1 to 2");
  attached.type(`2${ENTER}`);
  await attached.until(/attached to http:\S+/);

  expect(question).toMatch(/1 {2}dt-server .*\n2 {2}dt /);
  await live.until(/ 1 client/);
});

test("dt attach says how to start an agent if none runs", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, args: ["attach"], columns: 160 });

  await screen.until("no agent runs on this machine; start one with dt --a2a-port 0 or dt-server");

  expect(await screen.exited).toBe(2);
});

test("an agent file names the machine and the session, and no other secret", async () => {
  await using workspace = await openTempWorkspace();
  const { root: cwd } = workspace;
  await using live = openScreen({ cwd, args: ["--a2a-port", "0"], columns: 120 });
  await live.until(/A2A http:\S+/);
  const agents = path.join(cwd, ".local/share/dt/agents");
  const [name = ""] = await readdir(agents);

  const content = JSON.parse(await readFile(path.join(agents, name), "utf8"));

  expect(content).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    token: expect.stringMatching(/^dt_local_[\w-]{43}$/),
    workspacePath: cwd,
    contextId: expect.any(String),
    program: "dt",
    pid: expect.any(Number),
    machine: hostname(),
    startedAt: expect.any(String),
  });
  live.type(`/quit${ENTER}`);
  await live.exited;
  expect(await readdir(agents)).toEqual([]);
});
