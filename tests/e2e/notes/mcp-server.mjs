// An MCP server over stdio with one tool.
import { createInterface } from "node:readline";

const shout = {
  name: "shout",
  description: "says a text loudly",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "loud", version: "1" },
  }),
  "tools/list": () => ({ tools: [shout] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
