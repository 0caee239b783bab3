import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { findFreePort, startServerProcess } from "../e2e/support/server-process.js";
import { watchTask } from "../e2e/support/watch-task.js";
import { recordProof } from "./record-proof.js";

// The proof needs bubblewrap: `apt-get install bubblewrap`.

const main = path.resolve(import.meta.dirname, "../../apps/cli/dist/main.js");

/** User that has no rights of its own on Linux systems. */
const NOBODY = 65_534;

/** An MCP server with one tool, which says whether the server can read a file. */
const MCP_SERVER = `
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const info = { name: "probe", version: "1" };
  const tool = { name: "probe_file", inputSchema: { type: "object" } };
  if (method === "initialize") {
    const { protocolVersion } = params;
    answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: info });
  }
  if (method === "tools/list") answer({ tools: [tool] });
  if (method === "tools/call") {
    const text = existsSync(params.arguments.file) ? "it is there" : "it is hidden";
    answer({ content: [{ type: "text", text }] });
  }
}
`;

interface Stage extends AsyncDisposable {
  readonly home: string;
  readonly workspace: string;
  /** Follows an order as `dt --yolo` does, such as `run COMMAND`; resolves with the output of its call. */
  order(order: string, variables?: Record<string, string>): Promise<string>;
}

/** Opens a home and a workspace that belong to a user; undefined for the user who runs the proof. */
async function openStage(user: number | undefined): Promise<Stage> {
  const home = await openTempWorkspace();
  const workspace = await openTempWorkspace();
  for (const { root } of [home, workspace]) {
    await chmod(root, 0o755);
    if (user !== undefined) await chown(root, user, user);
  }
  const identity = user === undefined ? {} : { uid: user, gid: user };
  return {
    home: home.root,
    workspace: workspace.root,
    async order(order, variables = {}) {
      const env = { PATH: process.env.PATH, HOME: home.root, DT_MODEL: "offline" };
      const options = { cwd: workspace.root, env: { ...env, DT_SANDBOX: "bwrap", ...variables } };
      const args = [main, "--yolo", "--output", "json", "-p", order];
      const stdout = await new Promise<string>((resolve) => {
        const child = execFile(
          process.execPath,
          args,
          { ...options, ...identity },
          (error, text, stderr) => {
            expect({ code: error?.code, stderr: error && stderr }).toEqual({ stderr: null });
            resolve(text);
          },
        );
        child.stdin?.end();
      });
      return outputOf(stdout);
    },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Returns the result of the command from the lines of `dt --output json`. */
function outputOf(lines: string): string {
  for (const line of lines.split("\n").filter((each) => each.includes('"SUCCEEDED"'))) {
    const found = /"result":\{"\$case":"output".*?"text","value":("(?:[^"\\]|\\.)*")/.exec(line);
    if (found?.[1] !== undefined) return JSON.parse(found[1]);
  }
  throw new Error(`the command printed nothing: ${lines}`);
}

/** A server on loopback that counts its connections. */
async function openListener() {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function proveIsolation(user: number | undefined): Promise<void> {
  await using stage = await openStage(user);
  const { home, workspace } = stage;
  await writeFile(path.join(home, "secret.txt"), "top secret");
  await writeFile(path.join(home, ".gitconfig"), "[user]\n\tname = Ada\n");
  await mkdir(path.join(workspace, ".git", "hooks"), { recursive: true });
  await writeFile(path.join(workspace, ".git", "config"), "");
  if (user !== undefined) {
    for (const name of [".git", ".git/hooks", ".git/config"]) {
      await chown(path.join(workspace, name), user, user);
    }
  }

  const run = (command: string, variables?: Record<string, string>) =>
    stage.order(`run ${command}`, variables);
  const read = await run(`cat ${home}/secret.txt ~/.gitconfig; ls /run; ls -d /proc/[0-9]*`);
  expect(read).not.toContain("top secret");
  expect(read).not.toContain("Ada");
  expect(read).not.toContain(`/proc/${process.pid}\n`);
  expect(read).toContain("/proc/1\n");

  const written = await run(
    "echo a > inside.txt; echo a > /tmp/a; touch /etc/made ~/gone; echo a > .git/hooks/pre-commit; mv .git git; cat /tmp/a",
  );
  expect(written).toContain("a\nexit code: 0");
  expect(written).toContain("'/etc/made': Read-only file system");
  expect(written).toContain(".git/hooks/pre-commit: Read-only file system");
  expect(written).toContain("cannot move '.git'");
  expect((await readdir(workspace)).toSorted()).toEqual([".git", "inside.txt"]);
  expect(await readdir(home)).not.toContain("gone");

  await using listener = await openListener();
  const call = `(exec 3<>/dev/tcp/127.0.0.1/${listener.port}) && echo connected || echo refused`;
  expect(await run(call)).toContain("refused");
  expect(listener.count()).toBe(0);
  expect(await run(call, { DT_SANDBOX_NETWORK: "on" })).toContain("connected");
  expect(listener.count()).toBe(1);

  const allowed = { DT_SANDBOX_READABLE: "~/.gitconfig", DT_SANDBOX_WRITABLE: "~/cache" };
  await mkdir(path.join(home, "cache"));
  if (user !== undefined) await chown(path.join(home, "cache"), user, user);
  const more = await run("cat ~/.gitconfig; echo kept > ~/cache/kept; ls ~", allowed);
  expect(more).toContain("Ada");
  expect(more).not.toContain("secret.txt");
  expect(await readFile(path.join(home, "cache", "kept"), "utf8")).toBe("kept\n");

  await writeFile(path.join(workspace, "probe.mjs"), MCP_SERVER);
  await mkdir(path.join(home, ".config", "dt"), { recursive: true });
  const settings = { mcpServers: { probe: { command: process.execPath, args: ["probe.mjs"] } } };
  await writeFile(path.join(home, ".config", "dt", "config.yaml"), JSON.stringify(settings));
  const probe = (file: string) => stage.order(`call probe_file ${JSON.stringify({ file })}`);
  expect(await probe(path.join(workspace, "inside.txt"))).toBe("it is there");
  expect(await probe(path.join(home, "secret.txt"))).toBe("it is hidden");
}

/** Returns the command lines of all processes. */
async function commandLines(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = (pid: string) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return await Promise.all(pids.map(read));
}

/** Returns true if a process runs whose arguments contain the text. */
async function isRunning(text: string): Promise<boolean> {
  return (await commandLines()).some((line) => line.includes(text));
}

/** Starts a dt-server with a sandbox. */
async function openServer() {
  const data = await openTempWorkspace();
  const workspace = await openTempWorkspace();
  const environment = {
    DT_DATA_DIR: data.root,
    DT_WORKSPACE_ROOTS: workspace.root,
    DT_MODEL: "offline",
    DT_MODE: "yolo",
    DT_SANDBOX: "bwrap",
    CODER_AGENT_PORT: String(await findFreePort()),
  };
  return {
    workspace,
    environment,
    async [Symbol.asyncDispose]() {
      await data[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Starts a command, and waits until its live output contains "ready". */
async function startCommand(url: string, workspacePath: string, command: string) {
  const client = await connect(url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({ workspacePath, prompt: `run ${command}` });
  const watched = watchTask(task);
  await watched.until(
    (event) =>
      event.kind === "TOOL_CALL_UPDATE" && event.toolCall.liveContent?.includes("ready") === true,
  );
  return { client, task, watched };
}

const resultsOf = ({ seen }: Pick<ReturnType<typeof watchTask>, "seen">) =>
  seen.flatMap((event) =>
    event.kind === "TOOL_CALL_UPDATE" && event.toolCall.result !== undefined
      ? [event.toolCall.result.value]
      : [],
  );

async function proveCleanUp(): Promise<void> {
  await using stage = await openServer();
  const { root } = stage.workspace;
  await using server = await startServerProcess(stage.environment);

  // A cancelled command has time to clean up, and none of its processes remains.
  const trap = "trap 'echo cleaned > cleaned.txt; exit' TERM; echo ready; sleep 73101 & wait";
  const cancelled = await startCommand(server.url, root, trap);
  await cancelled.task.cancel();
  await cancelled.watched.done;
  expect(await stage.workspace.read("cleaned.txt")).toBe("cleaned\n");
  expect(await isRunning("73101")).toBe(false);
  cancelled.client.close();

  // A process that the command leaves behind is ended, and the error names it. That holds even if the process has
  // dropped its marks: its process group, its variables and its file descriptor 97.
  const left = "echo ready; setsid env -i bash -c 'exec 97<&-; exec sleep 73102' & sleep 1";
  const failed = await startCommand(server.url, root, left);
  await failed.watched.done;
  const [error] = resultsOf(failed.watched);
  expect(JSON.stringify(error)).toMatch(/sleep \(\d+\)/);
  expect(JSON.stringify(error)).not.toMatch(/bwrap \(\d+\)/);
  expect(await isRunning("73102")).toBe(false);
  failed.client.close();

  // A restart ends a command that outlived the killed server.
  const outlived = await startCommand(server.url, root, "echo ready; sleep 73103");
  await server.kill();
  expect(await isRunning("73103")).toBe(true);
  await using _second = await startServerProcess(stage.environment);
  await outlived.watched.done;
  expect(JSON.stringify(resultsOf(outlived.watched))).toContain("interrupted by a restart");
  expect(await isRunning("73103")).toBe(false);
  outlived.client.close();
}

test("commands under bubblewrap are isolated, and end as they do without it", async () => {
  const users = process.getuid?.() === 0 ? [undefined, NOBODY] : [undefined];
  await recordProof("commands in a sandbox of bubblewrap", users.length + 1, async () => {
    for (const user of users) await proveIsolation(user);
    await proveCleanUp();
    return "held: files, network, processes and an MCP server are isolated; no process survives a cancel, its command or kill -9";
  });
});
