import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../../packages/client/dist/esm/index.js";
import { agentVariables, writeAgentSettings } from "./agent-home.mjs";
import { killDescendants } from "./kill-tree.mjs";
import { openModel } from "./open-model.mjs";
import { recordAgent } from "./record-agent.mjs";

const MAIN = path.resolve(import.meta.dirname, "../../../apps/server/dist/main.js");
const MAX_LOG = 2_000;

/** Opens a home directory, a stand-in of the model, and dt-server with the agent behind it. */
export async function openAgentStage({ agent, directory, variables = {} }) {
  const model = await openModel();
  const home = mkdtempSync(path.join(tmpdir(), "dt-agent-"));
  const workspace = path.join(home, "workspace");
  mkdirSync(workspace);
  writeAgentSettings(home, model.url);
  const program = path.join(directory, "node_modules", agent.program ?? `.bin/${agent.command}`);
  const record = recordAgent({ command: agent.command, program, folder: home });
  const nodeFolder = agent.needsNode22
    ? path.join(directory, `node_modules/node-${process.platform}-${process.arch}/bin`)
    : path.dirname(process.execPath);
  const environment = {
    ...agentVariables(model.url),
    PATH: [record.bin, nodeFolder, process.env.PATH].join(path.delimiter),
    HOME: home,
    CODER_AGENT_PORT: "0",
    DT_AGENT: agent.preset,
    DT_DATA_DIR: path.join(home, "data"),
    DT_SHUTDOWN_GRACE_MS: "0",
    DT_WORKSPACE_ROOTS: workspace,
    ...variables,
  };
  let server = await startServer(environment, workspace);
  let client = await connect(server.url);

  return {
    home,
    workspace,
    model,
    get client() {
      return client;
    },
    get url() {
      return server.url;
    },
    log: () => server.log(),
    /** Messages between dt and the agent, in order. */
    messages: record.messages,
    /** Reads a file of the workspace. Returns undefined if the file does not exist. */
    readFile(name) {
      const file = path.join(workspace, name);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    /** Waits until the agent can load a session that it has just begun. */
    async untilLoadable() {
      if (agent.loadsNextMinute !== true) return;
      const begun = minuteOf(Date.now());
      while (minuteOf(Date.now()) === begun) await delay(500);
    },
    /** Kills the agent with -9. dt-server goes on. */
    killAgent: () => killDescendants(server.child.pid),
    /** Kills dt-server with -9, and starts it again. */
    async killServer() {
      client.close();
      await server.end("SIGKILL");
      server = await startServer(environment, workspace);
      client = await connect(server.url);
    },
    async close() {
      client.close();
      await server.end("SIGTERM");
      await model.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function minuteOf(ms) {
  return Math.floor(ms / 60_000);
}

async function startServer(env, cwd) {
  const child = spawn(process.execPath, [MAIN], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log = `${log}${chunk}`.slice(-MAX_LOG);
  });
  const end = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /listens on (\S+)/.exec(line);
    if (found === null) continue;
    child.stdout.resume();
    return { child, url: found[1], log: () => log, end };
  }
  throw new Error(`dt-server does not start: ${log}`);
}
