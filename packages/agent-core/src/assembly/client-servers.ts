import type { ToolCall } from "@dt/schema";
import type { CommandCall } from "../commands/command.js";
import { ToolError } from "../errors/tool-error.js";
import type { McpManager } from "../mcp/mcp-manager.js";
import type { McpServerSettings, StdioMcpServer } from "../settings/mcp-server-settings.js";
import type { Tool } from "../tools/tool.js";
import type { Prelude } from "../turn/turn-scope.js";

/** The MCP servers that a client wants started as programs: each only when someone allows it. */
export interface ClientServers extends Prelude {
  /** The tool that asks, and starts them. */
  readonly tool: Tool;
  /** Those that were started. */
  readonly managers: readonly McpManager[];
}

const toolName = "start_mcp_server";

/** What {@link createClientServers} needs. */
export interface ClientServersOptions {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** Starts one server; resolves when it was tried. */
  start(name: string, server: McpServerSettings): Promise<McpManager>;
}

/** Holds a client's programs back until someone has seen their command lines. (SEC-04) */
export function createClientServers({ servers, start }: ClientServersOptions): ClientServers {
  const programs = new Map(
    Object.entries(servers).flatMap(([name, server]) =>
      "command" in server ? [[name, server] as const] : [],
    ),
  );
  const settledNames = new Set<string>();
  const managers: McpManager[] = [];

  function programOf(name: unknown): StdioMcpServer {
    const program = programs.get(String(name));
    if (program === undefined) throw new ToolError("unknown_server", `no client named ${name}`);
    return program;
  }

  return {
    managers,
    calls: (): readonly CommandCall[] =>
      [...programs.keys()]
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
      async plan({ server }) {
        const { command, args = [], cwd } = programOf(server);
        const line = [command, ...args].join(" ");
        return {
          description: `Start the MCP server ${server}: ${line}`,
          actions: [{ type: "other", name: `${toolName} ${server}`, target: line }],
          details: {
            $case: "executeDetails",
            value: { command: line, ...(cwd !== undefined && { workingDirectory: cwd }) },
          },
        };
      },
      async run({ server }) {
        managers.push(await start(String(server), programOf(server)));
        return { result: { $case: "text", value: `started ${server}` } };
      },
    },
  };
}
