import { expect, test } from "vitest";
import { advanceMcpServer, type McpServerState } from "./advance-mcp-server.js";

const tools = [{ name: "x", description: "", parameters: {}, isReadOnly: false }];
const connected: McpServerState = { status: "connected", tools };
const lost: McpServerState = { status: "disconnected", error: "died", tools };

test.for([
  [
    "a new connection replaces tools and instructions",
    lost,
    { type: "connected", tools: [], instructions: "be kind" },
    { status: "connected", tools: [], instructions: "be kind" },
  ],
  ["a lost server keeps its tools", connected, { type: "lose", error: "died" }, lost],
  [
    "a server that is retried keeps tools and error",
    lost,
    { type: "connect" },
    { ...lost, status: "connecting" },
  ],
  [
    "a server that is given up has no tools",
    lost,
    { type: "give-up", error: "dead" },
    { status: "failed", error: "dead", tools: [] },
  ],
  [
    "a new list of tools replaces the tools",
    connected,
    { type: "list", tools: [] },
    { status: "connected", tools: [] },
  ],
  [
    "a list of tools that arrives after the connection was lost changes nothing",
    lost,
    { type: "list", tools: [] },
    lost,
  ],
] as const)("%s", ([, state, step, expected]) => {
  expect(advanceMcpServer(state, step)).toEqual(expected);
});
