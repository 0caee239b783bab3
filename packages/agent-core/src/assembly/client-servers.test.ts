import { expect, test } from "vitest";
import type { StdioMcpServer } from "../settings/mcp-server-settings.js";
import type { Workspace } from "../workspace/workspace.js";
import { createClientServers } from "./client-servers.js";

const workspace: Workspace = {
  root: "/w",
  resolve: async () => ({ absolute: "/w", display: ".", isInside: true }),
};

function planFor(server: StdioMcpServer) {
  const { tool } = createClientServers({
    servers: { loud: server },
    start: () => Promise.reject(new Error("nothing is started here")),
  });
  return tool.plan({ server: "loud" }, workspace);
}

async function shownFor(server: StdioMcpServer): Promise<unknown> {
  return (await planFor(server)).details?.value;
}

test("the question shows each word of a client's program as a shell would need it [SEC-04]", async () => {
  const server = { command: "my server", args: ["--port=80", "a b", "it's", "$(rm x)", ""] };

  const { description } = await planFor(server);
  const shown = await shownFor(server);

  const command = `'my server' --port=80 'a b' 'it'\\''s' '$(rm x)' ''`;
  expect(shown).toEqual({ command, workingDirectory: "/w" });
  expect(description).toBe(`Start the MCP server loud: ${command} in /w`);
});

test("the question shows the environment of a client's program, without secrets [SEC-04]", async () => {
  const shown = await shownFor({
    command: "serve",
    env: {
      MODE: "a b",
      GOOGLE_API_KEY: "k-1",
      github_token: "t-1",
      DATABASE_URL: "postgres://ada:pw@host/db",
      LEVEL: "1",
    },
  });

  expect(shown).toEqual({
    command: "MODE='a b' GOOGLE_API_KEY=… github_token=… DATABASE_URL=… LEVEL=1 serve",
    workingDirectory: "/w",
  });
});

test.each([
  [undefined, "/w"],
  ["sub", "/w/sub"],
  ["/tmp/x", "/tmp/x"],
])("a client's program with the directory %j is shown to start in %s", async (cwd, expected) => {
  const shown = await shownFor({ command: "serve", ...(cwd !== undefined && { cwd }) });

  expect(shown).toEqual({ command: "serve", workingDirectory: expected });
});

test.each(["NODE_OPTIONS", "LD_PRELOAD", "PATH", "Path", "BASH_ENV", "PYTHONPATH"])(
  "a client's program may not set %s [SEC-04]",
  async (name) => {
    await expect(planFor({ command: "serve", env: { [name]: "value-1" } })).rejects.toMatchObject({
      name: "ToolError",
      type: "unsafe_environment",
      message: `the MCP server loud may not set ${name}: this variable can change which code runs`,
    });
  },
);

test("a client's program may not hide a variable in the name of another [SEC-04]", async () => {
  const env = { "PATH=/tmp/evil:": "x" };

  await expect(planFor({ command: "serve", env })).rejects.toMatchObject({
    type: "unsafe_environment",
    message: 'the MCP server loud may not set "PATH=/tmp/evil:": this is no name of a variable',
  });
});
