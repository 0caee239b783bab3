import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { isObject } from "@dt/schema";
import { createRandom } from "../support/random.js";
import { startDt } from "./open-editor.js";

type Random = (bound: number) => number;

/** Number of mutated lines after which dt must answer a valid request. */
const BATCH_SIZE = 100;

/** Values that replace a value of a message. */
const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, "", "x", [], {}, [[]], { a: { b: [] } }, "\u0000", "../..", "/"],
  ...["selected", "cancelled", "session/update", "$/cancel_request", 2 ** 53],
];

/**
 * Sends mutated lines to `dt acp`. Throws if dt exits, does not answer a valid request after the mutated
 * lines, or writes a line that is not JSON-RPC. Returns the number of lines that dt wrote.
 */
export async function proveMutatedInput(count: number, seed: number): Promise<number> {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const child = startDt({ home: home.root });
  const exited = once(child, "exit");
  const stderr = text(child.stderr);
  const random = createRandom(seed);
  const answers = new Map<string, (result: unknown) => void>();
  const faults: string[] = [];
  let lines = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines += 1;
    const message = parse(line);
    if (!isObject(message) || message.jsonrpc !== "2.0") faults.push(line.slice(0, 200));
    else if (typeof message.id === "string") answers.get(message.id)?.(message.result);
  });

  async function ask(id: string, method: string, params: object): Promise<unknown> {
    const answered = new Promise<unknown>((resolve) => answers.set(id, resolve));
    child.stdin.write(`\n${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const ended = exited.then(async (): Promise<never> => {
      throw new Error(`dt exited with seed ${seed} after ${lines} lines: ${await stderr}`);
    });
    return await Promise.race([answered, ended]);
  }

  /** Opens a session, so that mutated requests can name an existing session. */
  async function open(id: string): Promise<string> {
    const opened = await ask(id, "session/new", { cwd: workspace.root, mcpServers: [] });
    return isObject(opened) ? String(opened.sessionId) : "";
  }

  try {
    await ask("begin", "initialize", { protocolVersion: 1 });
    for (let sent = 0; sent < count; ) {
      const sessionId = await open(`open-${sent}`);
      const messages = buildMessages(workspace.root, sessionId);
      for (let each = 0; each < BATCH_SIZE && sent < count; each += 1, sent += 1) {
        const line = mutate(pick(messages, random), random);
        if (!child.stdin.write(line)) await Promise.race([once(child.stdin, "drain"), exited]);
      }
      await ask(`alive-${sent}`, "session/list", {});
      await ask(`close-${sent}`, "session/close", { sessionId });
    }
  } finally {
    child.stdin.end();
    await exited;
  }
  if (faults.length > 0) throw new Error(`lines that are not protocol: ${faults.join("\n")}`);
  if (child.exitCode !== 0) throw new Error(`dt exited with ${child.exitCode}: ${await stderr}`);
  return lines;
}

/** Builds the messages of a usual conversation. */
function buildMessages(cwd: string, sessionId: string): readonly object[] {
  const prompt = [{ type: "text", text: "say hello then run echo hello" }];
  return [
    { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: { fs: {} } } },
    { id: 2, method: "session/new", params: { cwd, mcpServers: [] } },
    { id: 3, method: "session/prompt", params: { sessionId, prompt } },
    { id: 4, method: "session/load", params: { sessionId, cwd, mcpServers: [] } },
    { id: 5, method: "session/list", params: { cursor: null } },
    { id: 6, method: "session/set_mode", params: { sessionId, modeId: "plan" } },
    { id: 7, method: "session/close", params: { sessionId: "none" } },
    { id: 8, method: "authenticate", params: { methodId: "dt-setup" } },
    { method: "session/cancel", params: { sessionId } },
    { method: "$/cancel_request", params: { requestId: 3 } },
    { id: 0, result: { outcome: { outcome: "selected", optionId: "proceed_once" } } },
    { id: 0, error: { code: -32603, message: "no" } },
  ].map((message) => ({ jsonrpc: "2.0", ...message }));
}

/** Changes a message in one of several ways. */
function mutate(message: object, random: Random): Uint8Array {
  const line = `${JSON.stringify(message)}\n`;
  switch (random(8)) {
    case 0:
      return Buffer.from(`${JSON.stringify(replaceValue(message, random))}\n`);
    case 1:
      return flipByte(Buffer.from(line), random);
    case 2:
      return Buffer.from(line.slice(0, random(line.length)));
    case 3:
      return Buffer.from(line.slice(random(line.length)));
    case 4:
      return Buffer.from(`${line.trimEnd()}${line}`);
    case 5:
      return Buffer.from(`${"[".repeat(random(5_000))}${line}`);
    case 6:
      return Buffer.from(Array.from({ length: random(300) }, () => random(256)));
    default:
      return Buffer.from(line);
  }
}

function replaceValue(value: unknown, random: Random): unknown {
  if (!isObject(value) || random(4) === 0) return pick(VALUES, random);
  const keys = Object.keys(value);
  const key = keys[random(keys.length)];
  if (key === undefined) return pick(VALUES, random);
  return { ...value, [key]: replaceValue(value[key], random) };
}

function flipByte(bytes: Buffer, random: Random): Buffer {
  bytes[random(bytes.length)] = random(256);
  return bytes;
}

function pick<TItem>(items: readonly TItem[], random: Random): TItem {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
