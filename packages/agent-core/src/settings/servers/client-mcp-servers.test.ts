import { expect, test } from "vitest";
import { clientMcpServers } from "./client-mcp-servers.js";

const empty = { args: [], env: {}, headers: {}, options: undefined };
const home = `\${HOME}`;

test("MCP servers sent by a client become settings without empty fields [RFC-25] [RFC-07]", () => {
  const servers = clientMcpServers({
    local: { ...empty, command: "npx", args: ["-y", "x"], env: { A: home } },
    remote: { ...empty, url: "http://127.0.0.1:1/mcp", options: { timeoutMs: 5 } },
  });

  expect(servers).toEqual({
    local: { command: "npx", args: ["-y", "x"], env: { A: home } },
    remote: { url: "http://127.0.0.1:1/mcp", timeoutMs: 5 },
  });
});

test.each([
  [
    { both: { ...empty, command: "x", url: "http://x" } },
    "mcp_servers.both",
    "needs exactly one of command and url",
  ],
  [
    { web: { ...empty, url: "ftp://x" } },
    "mcp_servers.web.url",
    "must be an http or https address",
  ],
  [{ "a b": { ...empty, command: "x" } }, "mcp_servers.a b", "must be a name of letters"],
  [
    { slow: { ...empty, command: "x", options: { timeoutMs: 0 } } },
    "mcp_servers.slow.options.timeout_ms",
    "must be >= 1",
  ],
])("an invalid MCP server is refused with the path of its field: %#", (servers, path, problem) => {
  expect(() => clientMcpServers(servers)).toThrow(
    expect.objectContaining({
      code: "invalid-message",
      message: expect.stringContaining(`${path}: ${problem}`),
      data: { path },
    }),
  );
});
