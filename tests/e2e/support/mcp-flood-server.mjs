// An MCP server over stdio that sends far too much data. The first argument selects its tools.
import { createInterface } from "node:readline";

const [kind] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const list = (length, make) => Array.from({ length }, (_, at) => make(at));
const named = (length, value) => Object.fromEntries(list(length, (at) => [`p${at}`, value]));
const tool = (name, schema = {}) => ({
  name,
  description: name,
  inputSchema: { type: "object", ...schema },
});

const offers = {
  answers: () => Object.keys(answers).map((name) => tool(name)),
  tools: () => list(5_000, (at) => tool(`tool_${at}`)).concat(tool("use")),
  properties: () => [tool("use", { properties: named(20_000, { type: "string" }) })],
  references: () => [
    tool("use", {
      $defs: { text: { type: "string" } },
      properties: named(10_000, { $ref: "#/$defs/text" }),
    }),
  ],
  alternatives: () => [
    tool("use", {
      properties: { a: { anyOf: list(240, (at) => ({ type: "object", required: [`p${at}`] })) } },
    }),
  ],
  values: () => [tool("use", { properties: { a: { enum: list(40_000, (at) => `value ${at}`) } } })],
};

const text = (value) => ({ content: [{ type: "text", text: value }] });
const answers = {
  brackets: (id) => {
    const brackets = `${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${brackets}}\n`);
  },
  text: (id) => send({ jsonrpc: "2.0", id, result: text("é".repeat(5_000_000)) }),
  blocks: (id) => {
    const content = list(45_000, (at) => ({ type: "text", text: `block ${at}` }));
    send({ jsonrpc: "2.0", id, result: { content } });
  },
  lines: (id) => {
    process.stdout.write("this is no MCP\n".repeat(50_000));
    send({ jsonrpc: "2.0", id, result: text("after the lines") });
  },
  progress: (id, progressToken) => {
    for (let progress = 0; progress < 5_000; progress += 1) {
      const params = { progressToken, progress, message: `step ${progress}` };
      send({ jsonrpc: "2.0", method: "notifications/progress", params });
    }
    send({ jsonrpc: "2.0", id, result: text("done") });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "flood", version: "1.0.0" };
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
    send({ jsonrpc: "2.0", id, result });
  }
  if (method === "tools/list") send({ jsonrpc: "2.0", id, result: { tools: offers[kind]() } });
  if (method === "tools/call") {
    const answer = answers[params.name];
    if (answer === undefined) send({ jsonrpc: "2.0", id, result: text("used") });
    else answer(id, params._meta?.progressToken);
  }
});
