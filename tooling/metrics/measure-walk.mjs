import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";

const DEVELOPMENT_TOOL_URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
const STARTED = /http:\/\/127\.0\.0\.1:(\d+)/;

/**
 * Counts the source files and functions that run during one tool call in the built dt-server. A prompt and an answer
 * are sent over HTTP. V8 reports the functions that ran.
 */
export async function measureWalk(root) {
  const scratch = mkdtempSync(path.join(os.tmpdir(), "dt-walk-"));
  const server = await startServer(root, scratch);
  try {
    // A walk is a prompt and the answer to its question. The first walk also opens the session, so only the
    // second walk is measured.
    const contextId = await walk(server.url, scratch);
    await server.inspector.send("Profiler.takePreciseCoverage");
    await walk(server.url, scratch, contextId);
    const { result } = await server.inspector.send("Profiler.takePreciseCoverage");
    return countWalked(root, result);
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function startServer(root, scratch) {
  const main = path.join(root, "apps", "server", "dist", "main.js");
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", main], {
    cwd: scratch,
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      CODER_AGENT_PORT: "0",
      DT_MODEL: "offline",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let output = "";
  const isStarted = () => STARTED.test(output) && /ws:\/\/\S+/.test(output);
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
        if (isStarted()) resolve();
      });
    }
    exited.then(() => reject(new Error(`dt-server did not start: ${output}`)));
  });
  const inspector = await openInspector(output.match(/ws:\/\/\S+/)[0]);
  await inspector.send("Profiler.enable");
  await inspector.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return {
    url: `http://127.0.0.1:${output.match(STARTED)[1]}`,
    inspector,
    async stop() {
      inspector.close();
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function openInspector(url) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const waiting = new Map();
  socket.on("message", (data) => {
    const { id, result, error } = JSON.parse(data);
    waiting.get(id)?.(error === undefined ? result : Promise.reject(new Error(error.message)));
    waiting.delete(id);
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  let lastId = 0;
  return {
    send(method, params = {}) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    close: () => socket.close(),
  };
}

/** Sends a prompt that leads to a question, and the answer that approves it. */
async function walk(url, workspacePath, session) {
  const asked = await stream(url, {
    ...(session !== undefined && { contextId: session }),
    parts: [{ kind: "text", text: "write hello.txt: hello" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspacePath } },
  });
  const { taskId, contextId } = asked.find(({ kind }) => kind === "status-update");
  const [, toolCallId] = JSON.stringify(asked).match(/"tool_call_id":"([^"]+)"/);
  const answer = { tool_call_id: toolCallId, selected_option_id: "proceed_once" };
  const answered = await stream(url, {
    taskId,
    contextId,
    parts: [{ kind: "data", data: answer }],
  });
  const state = answered.at(-1)?.status?.state;
  if (state !== "completed") throw new Error(`the task of the walk is ${state}, not completed`);
  return contextId;
}

let messages = 0;

async function stream(url, message) {
  messages += 1;
  const params = {
    message: { kind: "message", role: "user", messageId: `m${messages}`, ...message },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-A2A-Extensions": DEVELOPMENT_TOOL_URI },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params }),
  });
  const text = await response.text();
  const frames = [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => JSON.parse(data));
  const fault = frames.length === 0 ? text : frames.find(({ error }) => error !== undefined);
  if (fault !== undefined) throw new Error(`dt-server refused the walk: ${JSON.stringify(fault)}`);
  return frames.map(({ result }) => result);
}

function countWalked(root, scripts) {
  const files = new Map();
  for (const { url, functions } of scripts) {
    if (!url.startsWith("file://")) continue;
    const file = fileURLToPath(url);
    if (path.relative(root, file).startsWith("..") || file.includes("node_modules")) continue;
    const locate = createLocator(root, file);
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      if (count === 0 || startOffset === 0) continue;
      const source = locate(startOffset);
      if (source === undefined) continue;
      const names = files.get(source.file) ?? new Set();
      names.add(`${functionName}:${source.line}:${source.column}`);
      files.set(source.file, names);
    }
  }
  return {
    files: files.size,
    functions: [...files.values()].reduce((sum, names) => sum + names.size, 0),
    list: [...files].map(([file, names]) => ({ file, functions: names.size })),
  };
}

/** Creates a function that finds the source of an offset in a built file, through the file's source map. */
function createLocator(root, file) {
  if (!existsSync(`${file}.map`)) return () => undefined;
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  const starts = [0];
  const text = readFileSync(file, "utf8");
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let line = starts.findIndex((start) => start > offset) - 1;
    if (line < 0) line = starts.length - 1;
    const entry = map.findEntry(line, offset - starts[line]);
    if (entry.originalSource === undefined) return undefined;
    const source = path.resolve(path.dirname(file), entry.originalSource);
    const relative = path.relative(root, source);
    if (!/^(?:packages|apps)\/[^/]+\/src\//.test(relative)) return undefined;
    return { file: relative, line: entry.originalLine, column: entry.originalColumn };
  };
}
