import path from "node:path";
import type { ToolCall } from "@dt/schema";
import type { CommandCall } from "../commands/command.js";
import { ToolError } from "../errors/tool-error.js";
import type { McpManager } from "../mcp/mcp-manager.js";
import type { McpServerSettings, StdioMcpServer } from "../settings/mcp-server-settings.js";
import { quoteWord } from "../shell/quote-word.js";
import { steersPrograms } from "../shell/steers-programs.js";
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
    refuseSteering(String(name), program);
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
      async plan({ server }, workspace) {
        const program = programOf(server);
        const line = commandLine(program);
        const workingDirectory = path.resolve(workspace.root, program.cwd ?? ".");
        return {
          description: `Start the MCP server ${server}: ${line} in ${workingDirectory}`,
          actions: [{ type: "other", name: `${toolName} ${line}`, target: line }],
          details: { $case: "executeDetails", value: { command: line, workingDirectory } },
        };
      },
      async run({ server }) {
        managers.push(await start(String(server), programOf(server)));
        return { result: { $case: "text", value: `started ${server}` } };
      },
    },
  };
}

// With such a variable the command line that someone approves would not be what runs.
function refuseSteering(name: string, { env = {} }: StdioMcpServer): void {
  for (const variable of Object.keys(env)) {
    if (!/^[A-Za-z_]\w*$/.test(variable)) {
      const shown = JSON.stringify(variable);
      throw new ToolError(
        "unsafe_environment",
        `the MCP server ${name} may not set ${shown}: this is no name of a variable`,
      );
    }
    if (steersPrograms(variable)) {
      throw new ToolError(
        "unsafe_environment",
        `the MCP server ${name} may not set ${variable}: this variable can change which code runs`,
      );
    }
  }
}

/** What would be typed to start a program. */
function commandLine({ command, args = [], env = {} }: StdioMcpServer): string {
  const assignments = Object.entries(env).map(
    ([name, value]) => `${name}=${isSecret(name, value) ? "…" : quoteWord(value)}`,
  );
  return [...assignments, ...[command, ...args].map(quoteWord)].join(" ");
}

const secretName =
  /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|DSN|SIGNATURE|(^|_)PAT$/i;
const addressWithUser = /[a-z][a-z0-9+.-]*:\/\/[^/\s]*@/i;

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) || addressWithUser.test(value);
}
