// An MCP server over stdio with one tool.
import { createInterface } from "node:readline";

const SHOUT = {
  name: "shout",
  description: "says a text loudly",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};
const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "loud", version: "1" },
  }),
  "tools/list": () => ({ tools: [SHOUT] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = RESULTS[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
