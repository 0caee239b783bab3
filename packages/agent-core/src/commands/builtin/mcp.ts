import type { McpServerReport } from "../../mcp/mcp-manager.js";
import { type Command, CommandError } from "../command.js";
import type { CommandServices } from "../command-services.js";
import { firstSentence } from "./tools.js";

/** Creates `/mcp`, which shows the MCP servers, and `/mcp restart`, which restarts a failed server. */
export function createMcpCommand({ mcp }: Pick<CommandServices, "mcp">): Command {
  const servers = () => mcp?.status() ?? [];
  return {
    name: "mcp",
    description: "shows the MCP servers with their status and tools",
    runsConcurrently: () => true,
    async run() {
      if (servers().length === 0) return { type: "done", say: "this session has no MCP servers" };
      return { type: "done", say: servers().map(describeServer).join("\n") };
    },
    subCommands: [
      {
        name: "restart",
        description: "starts a failed server again",
        arguments: [{ name: "server", description: "the name of the server", isRequired: true }],
        async run({ args }) {
          const name = args.trim();
          const server = servers().find((each) => each.name === name);
          if (server === undefined) throw new CommandError(describeUnknownServer(name, servers()));
          if (server.status !== "failed") {
            return {
              type: "done",
              say: `${name} is ${server.status} and needs no restart`,
            };
          }
          mcp?.restart(name);
          return { type: "done", say: `${name} is being started again; /mcp shows its status` };
        },
      },
    ],
  };
}

function describeServer({ name, status, error, tools }: McpServerReport): string {
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return [
    `${name}: ${status}, ${count}`,
    ...(error === undefined ? [] : [`  ${error}`]),
    ...tools.map((tool) => `  ${tool.name}: ${firstSentence(tool.description)}`),
  ].join("\n");
}

function describeUnknownServer(name: string, servers: readonly McpServerReport[]): string {
  const known = servers.map((server) => server.name).join(", ");
  return `there is no MCP server called ${name}; ${known === "" ? "this session has none" : `known servers: ${known}`}`;
}
