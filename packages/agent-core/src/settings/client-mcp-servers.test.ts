import { expect, test } from "vitest";
import { clientMcpServers } from "./client-mcp-servers.js";

const empty = { args: [], env: {}, headers: {}, options: undefined };
const home = `\${HOME}`;

test("servers that a client names become settings, without what is empty [RFC-25] [RFC-07]", () => {
  const servers = clientMcpServers({
    local: { ...empty, command: "npx", args: ["-y", "x"], env: { A: home } },
    remote: { ...empty, url: "http://127.0.0.1:1/mcp", options: { timeoutMs: 5 } },
  });

  expect(servers).toEqual({
    local: { command: "npx", args: ["-y", "x"], env: { A: home } },
    remote: { url: "http://127.0.0.1:1/mcp", timeoutMs: 5 },
  });
});

test("a server that makes no sense names the field", () => {
  const naming = () => clientMcpServers({ both: { ...empty, command: "x", url: "http://x" } });

  expect(naming).toThrow("AgentSettings: mcp_servers.both needs exactly one of command and url");
});
