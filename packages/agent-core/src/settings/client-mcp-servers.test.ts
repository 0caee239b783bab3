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

test.each([
  ["both", { command: "x", url: "http://x" }, "needs exactly one of command and url"],
  ["none", {}, "needs exactly one of command and url"],
  ["../x", { command: "x" }, "must be a name of letters, digits, dots, dashes and underscores"],
])(
  "a server called %s with %j is refused as the client's fault [RFC-25]",
  (name, server, problem) => {
    const naming = () => clientMcpServers({ [name]: { ...empty, ...server } });

    const path = `mcp_servers.${name}`;
    expect(naming).toThrow(
      expect.objectContaining({
        name: "ProtocolError",
        code: "invalid-message",
        message: `${path}: ${problem}`,
        data: { path },
      }),
    );
  },
);
