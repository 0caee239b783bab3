import type { ToolCall } from "@dt/schema";
import type { CommandCall } from "../commands/command.js";
import { ToolError } from "../errors/tool-error.js";
import type { AddressRules } from "../mcp/address/address-rules.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Tool } from "../tools/tool.js";
import type { Prelude } from "../turn/turn-scope.js";
import { planServerStart } from "./plan-server-start.js";

/** The MCP servers that a client named: each is started or connected to only if someone allows it. */
export interface ClientServers extends Prelude {
  /** The tool that asks, and starts them. */
  readonly tool: Tool;
}

const toolName = "start_mcp_server";

/** What {@link createClientServers} needs. */
export interface ClientServersOptions {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  readonly addressRules: AddressRules;
  /** Starts one server; resolves when it was tried. */
  start(name: string, server: McpServerSettings): Promise<void>;
}

/** Holds a client's servers back until someone has seen their command lines and addresses. (SEC-04) */
export function createClientServers(options: ClientServersOptions): ClientServers {
  const { addressRules, start } = options;
  const servers = new Map(Object.entries(options.servers));
  const settledNames = new Set<string>();

  function planFor(name: unknown, workspaceRoot: string) {
    const server = servers.get(String(name));
    if (server === undefined) throw new ToolError("unknown_server", `no client named ${name}`);
    const question = { name: String(name), server, toolName, workspaceRoot, addressRules };
    return { server, plan: planServerStart(question) };
  }

  return {
    calls: (): readonly CommandCall[] =>
      [...servers.keys()]
        .filter((name) => !settledNames.has(name))
        .map((server) => ({ toolName, input: { server } })),
    settled(calls: readonly ToolCall[]) {
      for (const { inputParameters } of calls) settledNames.add(String(inputParameters?.server));
    },
    tool: {
      name: toolName,
      description: "Starts an MCP server that the client named.",
      isInternal: true,
      isReadOnly: false,
      parameters: {
        type: "object",
        properties: { server: { type: "string" } },
        required: ["server"],
      },
      plan: async ({ server }, workspace) => planFor(server, workspace.root).plan,
      async run({ server: name }, { workspace }) {
        const { server } = planFor(name, workspace.root);
        await start(String(name), server);
        return { result: { $case: "text", value: `started ${name}` } };
      },
    },
  };
}
