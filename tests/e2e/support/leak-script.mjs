// Opens, uses and closes sessions, then prints the handles and processes that are left.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openAgentSession, openMemoryLedger } from "@dt/agent-core";
import { driveAgent } from "@dt/schema";

const CALLER = { user: "you", name: "You", role: "admin" };
const directory = await mkdtemp(path.join(tmpdir(), "dt-leaks-"));

async function useSession(round) {
  const ledger = openMemoryLedger();
  const session = await openAgentSession({
    workspacePath: directory,
    home: directory,
    // Every child process inherits this variable, by which `descendants` recognises the process.
    environment: { ...process.env, LC_LEAKS: directory },
    dataDirectory: path.join(directory, `data-${round}`),
    ledger,
    flags: { mode: "yolo", mcpServers: { idle: { command: "cat" } } },
  });
  const agent = driveAgent(session);
  const prompt = (text) =>
    agent.prompt(
      { messageId: `${round}-${text}`, taskId: text, parts: [{ type: "text", text }] },
      CALLER,
    );
  const until = async (fits) => {
    for await (const event of ledger.read()) if (fits(event)) return;
  };
  const isRunning = (event) =>
    event.kind === "TOOL_CALL_UPDATE" &&
    event.toolCall.status === "EXECUTING" &&
    event.toolCall.toolName === "run_shell_command";
  const isEnd = (taskId) => (event) =>
    event.taskId === taskId && ["completed", "failed", "canceled"].includes(event.state);

  await prompt(`write a-${round}.txt: x`);
  await until(isEnd(`write a-${round}.txt: x`));
  // The shell command and its children are cancelled. The last turn still runs when the session is closed.
  await prompt("run sleep 300 & sleep 300");
  await until(isRunning);
  await agent.cancel("run sleep 300 & sleep 300", CALLER);
  const childrenAfterCancel = await descendants(["sleep"]);
  await prompt("wait 300000");
  await until((event) => event.taskId === "wait 300000" && event.state === "working");
  await session.close();
  return childrenAfterCancel;
}

/** Returns the names of the running processes that this script started, if they are among `names`. */
async function descendants(names) {
  const found = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const environ = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    const name = /\((.*)\)/.exec(stat)?.[1] ?? "";
    if (names.includes(name) && environ.includes(directory)) found.push(name);
  }
  return found;
}

/** Lists the open handles. Requests, such as file reads, are left out because they end by themselves. */
function listHandles() {
  return process
    .getActiveResourcesInfo()
    .filter((name) => !name.includes("Req"))
    .sort();
}

await useSession(0);
const before = listHandles();
let afterCancel = [];
for (let round = 1; round <= 5; round += 1)
  afterCancel = afterCancel.concat(await useSession(round));
const after = listHandles();
const children = await descendants(["sleep", "cat", "sh", "bash"]);
await rm(directory, { recursive: true, force: true });
console.log(JSON.stringify({ before, after, afterCancel, children }));
