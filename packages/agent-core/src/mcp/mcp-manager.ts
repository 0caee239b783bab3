import { MACHINE_CLOCK } from "../clock.js";
import type { RetrySchedule } from "../model/retry/retry-schedule.js";
import { type Sleep, sleep } from "../model/retry/abortable-sleep.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Tool } from "../tools/tool.js";
import type { AddressRules } from "./address/address-rules.js";
import type { McpServerStatus } from "./advance-mcp-server.js";
import { createMcpTool } from "./mcp-tool.js";
import { superviseMcpServer } from "./supervise-mcp-server.js";
import { assignToolNames } from "./tool-names.js";

/** The MCP servers of one session, kept connected, and their tools. */
export interface McpManager {
  /** How each server stands, in the order in which they were given. */
  status(): readonly McpServerReport[];
  /** The tools that can be offered now; changes are told by `onChange`. */
  tools(): readonly Tool[];
  /** Resolves when every server has been tried once, whether or not it answered. */
  readonly tried: Promise<void>;
  /** Starts and keeps one more server; resolves when it was tried, whether or not it answered. */
  add(name: string, server: McpServerSettings): Promise<void>;
  /** Tries a server again that was given up. Does nothing for one that is not `failed`. */
  restart(serverName: string): void;
  /** Ends all calls, connections and programs, with everything that they started. */
  close(): Promise<void>;
}

/** One server as task metadata and `/mcp` show it. */
export interface McpServerReport {
  readonly name: string;
  readonly status: McpServerStatus;
  /** Why it is not connected. */
  readonly error?: string;
  /** What the server wants the model to know. */
  readonly instructions?: string;
  /** Under the names by which the model knows them. */
  readonly tools: readonly Pick<Tool, "name" | "description" | "parameters">[];
}

/** What the servers of a session need. */
export interface McpManagerOptions {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** What every started program gets, without keys; a server's own `env` comes on top. */
  readonly environment: Readonly<Record<string, string>>;
  /** The workspace: where programs start, and the root that servers are told of. */
  readonly directory: string;
  /** What servers at addresses may be connected to; without rules, anything. */
  readonly addressRules?: AddressRules;
  /** Names that other tools have; a tool of a server that has one too carries its server's name. */
  readonly takenNames?: () => readonly string[];
  /** Some server's status or tools changed. */
  readonly onChange?: () => void;
  /** How often and after what waits a server that died is started again. */
  readonly schedule?: RetrySchedule;
  readonly sleep?: Sleep;
  /** Measures time in milliseconds. Default: the clock of this machine. */
  readonly elapsedMs?: () => number;
  readonly random?: () => number;
}

/** Six tries, a second doubling to thirty. */
export const defaultRestartSchedule: RetrySchedule = {
  tries: 6,
  baseMs: 1_000,
  capMs: 30_000,
  longestRetryAfterMs: 0,
};

/** Starts and keeps all servers. Returns at once; nothing is loaded where there are none. */
export function openMcpManager(options: McpManagerOptions): McpManager {
  const { environment, directory, takenNames = () => [], onChange = () => {} } = options;
  const supervise = (name: string, server: McpServerSettings) =>
    superviseMcpServer({
      name,
      server,
      environment,
      directory,
      ...(options.addressRules && { addressRules: options.addressRules }),
      onChange: () => onChange(),
      schedule: options.schedule ?? defaultRestartSchedule,
      sleep: options.sleep ?? sleep,
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
    tried: Promise.all(servers.map(({ tried }) => tried)).then(() => {}),
    async add(name, server) {
      const added = supervise(name, server);
      servers.push(added);
      await added.tried;
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
