import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { callAgent } from "../../../packages/client/dist/esm/call-agent/index.js";
import { agentVariables, writeAgentSettings } from "../agents/agent-home.mjs";
import { openModel } from "../agents/open-model.mjs";

/** gemini-cli's own A2A server, which dt calls with `call_agent`. */
export const CALLED = {
  name: "gemini-cli's server (@google/gemini-cli-a2a-server)",
  folder: "called-gemini",
  packages: { "@google/gemini-cli-a2a-server": "0.25.2" },
  imports: {},
};

export const CALLED_SCENARIO_NAMES = ["text", "approve", "refuse"];

const PROGRAM = "node_modules/@google/gemini-cli-a2a-server/dist/a2a-server.mjs";
const SCENARIO_MS = 120_000;

const SCENARIOS = {
  async text(stage) {
    assert.equal((await stage.call("say hello")).text, "hello");
  },
  async approve(stage) {
    const { text, questions } = await stage.call("write a.txt: proposed then say done", true);
    assert.deepEqual([text, questions, stage.readFile()], ["done", ["write_file"], "proposed"]);
  },
  async refuse(stage) {
    const { questions } = await stage.call("write a.txt: proposed then say done", false);
    assert.deepEqual([questions, stage.readFile()], [["write_file"], undefined]);
  },
};

/** Runs the scenarios. Each has its own server, home directory and model. */
export async function runCalled({ directory }) {
  const cells = [];
  for (const name of CALLED_SCENARIO_NAMES) {
    const stage = await openStage(path.join(directory, PROGRAM));
    try {
      await SCENARIOS[name](stage);
      cells.push({ name, outcome: "passed" });
    } catch (reason) {
      cells.push({ name, outcome: "failed", note: `${reason.stack}\n${stage.log()}` });
    } finally {
      await stage.close();
    }
  }
  return cells;
}

async function openStage(program) {
  const model = await openModel();
  const home = mkdtempSync(path.join(tmpdir(), "dt-called-"));
  const workspace = path.join(home, "workspace");
  mkdirSync(workspace);
  writeAgentSettings(home, model.url);
  // The server stores checkpoints in git, and git refuses commits without the name of an author.
  writeFileSync(path.join(home, ".gitconfig"), "[user]\nname = dt\nemail = dt@example.com\n");
  const port = await findFreePort();
  const child = spawn(process.execPath, [program], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...agentVariables(model.url),
      PATH: process.env.PATH,
      HOME: home,
      CODER_AGENT_PORT: String(port),
    },
  });
  let log = "";
  await new Promise((resolve, reject) => {
    const read = (chunk) => {
      log += chunk;
      if (log.includes(`http://localhost:${port}`)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`the server does not start: ${log}`)));
  });
  const url = `http://127.0.0.1:${port}/`;
  const file = path.join(workspace, "a.txt");
  return {
    log: () => log.slice(-2_000),
    readFile: () => (existsSync(file) ? readFileSync(file, "utf8") : undefined),
    async call(prompt, isGranted = true) {
      const questions = [];
      const ask = ({ toolCall }) => {
        questions.push(toolCall?.toolName);
        const finish = async () => {};
        return { answer: Promise.resolve({ isGranted, finish }), withdraw() {} };
      };
      const { parts } = await callAgent({
        agent: { name: "gemini", url, workspacePath: workspace },
        prompt,
        messageId: "message-1",
        depth: 1,
        silenceMs: SCENARIO_MS,
        signal: AbortSignal.timeout(SCENARIO_MS),
        keepsTask: () => false,
        accepted: async () => {},
        print() {},
        ask,
      });
      return { questions, text: parts.map(({ text = "" }) => text).join("") };
    },
    async close() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      await model.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Finds a free port, because the server does not report which port it has chosen. */
async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
