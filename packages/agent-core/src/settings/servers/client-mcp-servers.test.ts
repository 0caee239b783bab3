import { ProtocolError } from "@dt/schema";
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
  ["both", "needs exactly one of command and url", { command: "x", url: "http://x" }],
  ["web.url", "must be an http or https address", { url: "ftp://x" }],
  ["a b", "must be a name of letters", { command: "x" }],
  ["slow.options.timeout_ms", "must be >= 1", { command: "x", options: { timeoutMs: 0 } }],
])(
  "an invalid MCP server is refused with the path %s and the problem %j",
  (field, problem, server) => {
    const [name = ""] = field.split(".");
    const path = `mcp_servers.${field}`;

    expect(() => clientMcpServers({ [name]: { ...empty, ...server } })).toThrow(
      expect.objectContaining({
        code: "invalid-message",
        message: expect.stringContaining(`${path}: ${problem}`),
        data: { path },
      }),
    );
  },
);

test("a client that names too many servers is refused [SEC-09]", () => {
  const server = { ...empty, command: "node" };
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, server]));

  expect(Object.keys(clientMcpServers(named(64)))).toHaveLength(64);
  expect(() => clientMcpServers(named(65))).toThrow(
    new ProtocolError("invalid-message", "mcp_servers: name at most 64 MCP servers", {
      data: { path: "mcp_servers" },
    }),
  );
});
