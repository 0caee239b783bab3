// An MCP server with one tool, which adds two numbers.
import { createInterface } from "node:readline";

const INPUT_SCHEMA = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
};

const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "demo", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [{ name: "add", description: "Adds two numbers", inputSchema: INPUT_SCHEMA }],
  }),
  "tools/call": ({ arguments: { a, b } }) => ({ content: [{ type: "text", text: String(a + b) }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = RESULTS[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
