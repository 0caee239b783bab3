import type { McpServerStatus } from "@dt/schema";
import { MACHINE_CLOCK } from "../clock.js";
import { abortableSleep, type Sleep } from "../model/retry/abortable-sleep.js";
import type { RetrySchedule } from "../model/retry/retry-schedule.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Tool } from "../tools/tool.js";
import type { Sandbox } from "../workspace/processes/sandbox.js";
import type { AddressRules } from "./address/address-rules.js";
import { createMcpTool } from "./mcp-tool.js";
import { superviseMcpServer } from "./supervise-mcp-server.js";
import { assignToolNames } from "./tool-names.js";

/** Keeps the MCP servers of one session connected, and offers their tools. */
export interface McpManager {
  /** Status of each server, in the order of the settings. */
  status(): readonly McpServerReport[];
  /** The tools that can be offered at the moment; `onChange` is called when they change. */
  tools(): readonly Tool[];
  /** Resolves when the first attempt to connect to each server has succeeded or failed. */
  readonly firstAttempts: Promise<void>;
  /** Adds a server; resolves when the first attempt to connect has succeeded or failed. */
  add(name: string, server: McpServerSettings): Promise<void>;
  /** Connects again to a server with the status `failed`; does nothing if the server has another status. */
  restart(serverName: string): void;
  /** Ends all calls and connections, the servers' programs, and all processes that the programs started. */
  close(): Promise<void>;
}

/** A server, as task metadata and `/mcp` show it. */
export interface McpServerReport {
  readonly name: string;
  readonly status: McpServerStatus;
  /** Reason why the server is not connected. */
  readonly error?: string;
  /** Instructions of the server for the model. */
  readonly instructions?: string;
  /** Tools with the names that the model uses. */
  readonly tools: readonly Pick<Tool, "name" | "description" | "parameters">[];
}

/** Options of {@link openMcpManager}. */
export interface McpManagerOptions {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** Environment of the servers' programs, without secrets. The `env` of each server is added to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The workspace: working directory of programs, and the root that is sent to servers. */
  readonly directory: string;
  /** Sandbox of the servers' programs. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Rules for servers with a URL. Default: any address. */
  readonly addressRules?: AddressRules;
  /** Names of tools that are not from MCP. An MCP tool with such a name gets its server's name as prefix. */
  readonly takenNames?: () => readonly string[];
  /** Called when the status or the tools of a server have changed. */
  readonly onChange?: () => void;
  /** Number of attempts to connect, and the waits between them. */
  readonly schedule?: RetrySchedule;
  readonly sleep?: Sleep;
  /** Monotonic clock in milliseconds. Default: the clock of this machine. */
  readonly elapsedMs?: () => number;
  readonly random?: () => number;
}

/** Six attempts with random waits. The first wait is at most one second; this maximum doubles each time. */
export const DEFAULT_RESTART_SCHEDULE: RetrySchedule = {
  maxAttempts: 6,
  baseMs: 1_000,
  capMs: 30_000,
  maxRetryAfterMs: 0,
};

/** Starts all servers and returns at once. Without servers, the MCP SDK is not loaded. */
export function openMcpManager(options: McpManagerOptions): McpManager {
  const { environment, directory, takenNames = () => [], onChange = () => {} } = options;
  const supervise = (name: string, server: McpServerSettings) =>
    superviseMcpServer({
      name,
      server,
      environment,
      directory,
      sandbox: options.sandbox,
      ...(options.addressRules && { addressRules: options.addressRules }),
      onChange: () => onChange(),
      schedule: options.schedule ?? DEFAULT_RESTART_SCHEDULE,
      sleep: options.sleep ?? abortableSleep,
      elapsedMs: options.elapsedMs ?? MACHINE_CLOCK.elapsedMs,
      random: options.random ?? Math.random,
    });
  const servers = Object.entries(options.servers).map(([name, server]) => supervise(name, server));
  return {
    status: () =>
      serversWithTools().map(({ server, tools }) => {
        const { status, error, instructions } = server.state;
        return {
          name: server.name,
          status,
          ...(error !== undefined && { error: `the MCP server ${server.name} ${error}` }),
          ...(instructions !== undefined && { instructions }),
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parameters,
          })),
        };
      }),
    tools: () => serversWithTools().flatMap(({ tools }) => tools),
    firstAttempts: Promise.all(servers.map(({ firstAttempt }) => firstAttempt)).then(() => {}),
    async add(name, server) {
      const added = supervise(name, server);
      servers.push(added);
      await added.firstAttempt;
    },
    restart: (serverName) => servers.find(({ name }) => name === serverName)?.restart(),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };

  function serversWithTools() {
    const all = servers.flatMap((server) => server.state.tools.map((info) => ({ server, info })));
    const names = assignToolNames(
      all.map(({ server, info }) => ({ serverName: server.name, toolName: info.name })),
      takenNames(),
    );
    const tools = all.map(({ server, info }, index) => ({
      server,
      tool: createMcpTool({
        name: names[index] ?? info.name,
        serverName: server.name,
        info,
        callTool: server.callTool,
      }),
    }));
    return servers.map((server) => ({
      server,
      tools: tools.filter((entry) => entry.server === server).map(({ tool }) => tool),
    }));
  }
}
