import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { scoped } from "../child.mjs";
import { mb, median, ms } from "../figures.mjs";
import { readCpuMs, readResidentBytes } from "../process-stats.mjs";

const require = createRequire(import.meta.url);
const main = path.join(path.dirname(require.resolve("@dt/cli/package.json")), "dist/main.js");
const PROMPT = "Ask anything";

/** Time from the start of the process until dt shows its input field. */
export const firstPromptRow = {
  name: "dt: start to first prompt",
  budget: "≤ 250 ms",
  limit: 250,
  async run() {
    const [took, cpuMs] = [[], []];
    for (let round = 0; round < 7; round += 1) {
      await scoped(async (own) => {
        const startedAt = performance.now();
        const screen = own(openScreen());
        await screen.until((text) => text.includes(PROMPT));
        took.push(performance.now() - startedAt);
        cpuMs.push(readCpuMs(screen.pid));
      });
    }
    return { value: median(took), format: ms, cpuMs: median(cpuMs), per: "start" };
  },
};

/** Resident memory of dt while it waits for a prompt. */
export const idleTerminalRow = {
  name: "dt: memory when idle",
  budget: "≤ 90 MB",
  limit: 90 * 1024 * 1024,
  async run(own) {
    const screen = own(openScreen());
    await screen.until((text) => text.includes(PROMPT));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const [value, cpuMs] = [readResidentBytes(screen.pid), readCpuMs(screen.pid)];
    return { value, format: mb, cpuMs, per: "start" };
  },
};

/** Time from a key press to its letter on the screen, while the model streams 1,000 pieces a second. */
export const keyPressRow = {
  name: "dt: key press to screen while 1,000 events a second stream",
  budget: "≤ 50 ms (median)",
  limit: 50,
  async run(own) {
    const model = own(await startModel());
    const screen = own(
      openScreen(["--model", "openai:bench"], {
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: "none",
      }),
    );
    await screen.until((text) => text.includes(PROMPT));
    screen.type("go\r");
    await screen.until((text) => text.includes("piece 500"));
    const took = [];
    let typed = "";
    for (let key = 0; key < 60; key += 1) {
      typed += String.fromCharCode(97 + (key % 26));
      const startedAt = performance.now();
      screen.type(typed.at(-1));
      await screen.until((text) => text.includes(`> ${typed}`));
      took.push(performance.now() - startedAt);
    }
    const value = median(took);
    const worst = Math.max(...took);
    return { measured: `${ms(value)} (the slowest of 60: ${ms(worst)})`, value };
  },
};

/** Starts a stand-in for OpenAI that streams ten pieces every ten milliseconds, without end. */
async function startModel() {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    let piece = 0;
    const streaming = setInterval(() => {
      for (let nth = 0; nth < 10; nth += 1) {
        piece += 1;
        const choices = [{ index: 0, delta: { content: `piece ${piece} of **many** \n` } }];
        response.write(`data: ${JSON.stringify({ choices })}\n\n`);
      }
    }, 10);
    response.on("close", () => clearInterval(streaming));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Opens dt in its own terminal, with its own home directory. */
function openScreen(args = [], environment = {}) {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-bench-"));
  const size = { cols: 100, rows: 30 };
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
  const child = spawn(process.execPath, [main, ...args], {
    ...size,
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, TERM: "xterm-256color", ...environment },
  });
  const exited = new Promise((resolve) => child.onExit(resolve));
  let checkScreen = () => {};
  child.onData((data) => terminal.write(data, () => checkScreen()));

  function text() {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: terminal.rows }, (_, row) => {
      return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    });
    return lines.join("\n");
  }

  return {
    pid: child.pid,
    type: (keys) => child.write(keys),
    until: (fits) =>
      new Promise((resolve) => {
        checkScreen = () => fits(text()) && resolve();
        checkScreen();
      }),
    async close() {
      child.kill("SIGKILL");
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
