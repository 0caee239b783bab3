// Measures what sessions and turns cost dt-server, for the table in docs/guides/deploy.md. It needs a build:
//   npm run build && node tooling/scripts/measure-sizing.mjs
// It measures CPU time and resident memory of the server's process, which hardly change when other programs run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const SESSIONS = 500;
const TICKS_PER_SECOND = 100;
const URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

const directory = mkdtempSync(path.join(tmpdir(), "dt-sizing-"));
const main = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");
const server = spawn(process.execPath, ["--expose-gc", main], {
  env: {
    PATH: process.env.PATH,
    HOME: directory,
    DT_MODEL: "offline",
    DT_MODE: "yolo",
    CODER_AGENT_PORT: "0",
    DT_MAX_PROMPTS_PER_MINUTE: "1000000",
    DT_MAX_REQUESTS_PER_MINUTE: "1000000",
  },
  cwd: directory,
  stdio: ["ignore", "pipe", "inherit"],
});
let url = "";
for await (const line of createInterface({ input: server.stdout })) {
  url = /listens on (\S+)/.exec(line)?.[1] ?? url;
  if (url !== "") break;
}

const results = [];
const bare = await rest();
const opened = await measure("a new session with one short turn", SESSIONS, () => turn("say hi"));
const idle = await rest();
results.push(["an idle session in memory", `${kilobytes(idle - bare, SESSIONS)} kB of memory`]);
await measure("a turn of 200 pieces of text", 100, () => turn("chunks 200"));
await measure("a turn that runs a command", 50, () => turn("run true"));
console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`);
console.log(`resident memory after the start: ${Math.round(bare / 1e6)} MB`);
console.log(
  `after ${SESSIONS} sessions: ${Math.round(idle / 1e6)} MB, ${opened} ms of CPU time each`,
);
for (const [what, cost] of results) console.log(`| ${what} | ${cost} |`);
server.kill();
await once(server, "exit");
rmSync(directory, { recursive: true, force: true });

/** Runs the same work several times, and notes the CPU time of the server for each. */
async function measure(what, count, work) {
  const before = cpuMs();
  for (let done = 0; done < count; done += 1) await work();
  const each = ((cpuMs() - before) / count).toFixed(1);
  results.push([what, `${each} ms of CPU time`]);
  return each;
}

/** Starts a new session with one prompt, and reads its stream to the end. */
async function turn(text) {
  const message = {
    kind: "message",
    role: "user",
    messageId: crypto.randomUUID(),
    parts: [{ kind: "text", text }],
    metadata: { [URI]: { workspace_path: directory } },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-a2a-extensions": URI },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } }),
  });
  const reply = await response.text();
  if (!reply.includes('"completed"')) throw new Error(`the turn did not complete: ${reply}`);
}

/** Waits until the process is idle, and returns its resident memory in bytes. */
async function rest() {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
  return Number(kB) * 1_024;
}

function cpuMs() {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

function kilobytes(bytes, count) {
  return Math.max(0, Math.round(bytes / count / 1_000));
}
