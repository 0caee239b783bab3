import type { McpServerReport } from "../../mcp/mcp-manager.js";
import { type Command, CommandError } from "../command.js";
import type { CommandServices } from "../command-services.js";
import { firstSentence } from "./tools.js";

/** Shows how the MCP servers stand, and tries one again that was given up. */
export function createMcpCommand({ mcp }: Pick<CommandServices, "mcp">): Command {
  const servers = () => mcp?.status() ?? [];
  return {
    name: "mcp",
    description: "shows the MCP servers, how they stand and their tools",
    runsConcurrently: () => true,
    async run() {
      if (servers().length === 0) return { type: "done", say: "this session has no MCP servers" };
      return { type: "done", say: servers().map(describeServer).join("\n") };
    },
    subCommands: [
      {
        name: "restart",
        description: "tries a server again that was given up",
        arguments: [{ name: "server", description: "the name of the server", isRequired: true }],
        async run({ args }) {
          const name = args.trim();
          const server = servers().find((each) => each.name === name);
          if (server === undefined) throw new CommandError(unknownServer(name, servers()));
          if (server.status !== "failed") {
            return {
              type: "done",
              say: `${name} is ${server.status}: there is nothing to restart`,
            };
          }
          mcp?.restart(name);
          return { type: "done", say: `${name} is being tried again; /mcp shows how it stands` };
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

function unknownServer(name: string, servers: readonly McpServerReport[]): string {
  const known = servers.map((server) => server.name).join(", ");
  return `there is no MCP server called ${name}; ${known === "" ? "there are none" : `there are ${known}`}`;
}
