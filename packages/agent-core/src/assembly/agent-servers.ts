import type { AddressRules } from "../mcp/address/address-rules.js";
import { type McpManager, type McpServerReport, openMcpManager } from "../mcp/mcp-manager.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Tool } from "../tools/tool.js";
import type { Prelude } from "../turn/turn-scope.js";
import type { Sandbox } from "../workspace/processes/sandbox.js";
import { createClientServers } from "./servers/client-servers.js";

type Servers = Readonly<Record<string, McpServerSettings>>;

/** All MCP servers of a session: those of its configuration, and those that its client named. */
export interface AgentServers {
  /** Questions that must be answered before the client's servers start. */
  readonly prelude: Prelude;
  /** Resolves when each configured server has connected or failed, or after ten seconds. */
  readonly ready: Promise<void>;
  tools(): readonly Tool[];
  status(): readonly McpServerReport[];
  restart(serverName: string): void;
  close(): Promise<void>;
}

/** Options of {@link openAgentServers}. */
export interface AgentServersOptions {
  readonly configured: Servers;
  readonly client: Servers;
  /** Rules for the addresses of the client's servers. */
  readonly addressRules: AddressRules;
  /** Environment variables of the servers' programs, without API keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Sandbox of the servers' programs. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Returns the names of all tools that do not come from MCP servers. */
  takenNames(): readonly string[];
  /** Monotonic clock in milliseconds. */
  elapsedMs(): number;
}

const READY_TIMEOUT_MS = 10_000;

/** The result for a session without MCP servers. */
const NO_SERVERS: AgentServers = {
  prelude: { calls: () => [], settled() {} },
  ready: Promise.resolve(),
  tools: () => [],
  status: () => [],
  restart() {},
  async close() {},
};

/** Starts the configured servers. The client's servers wait until someone allows them. */
export function openAgentServers(options: AgentServersOptions): AgentServers {
  const names = [options.configured, options.client].flatMap((servers) => Object.keys(servers));
  return names.length === 0 ? NO_SERVERS : startAgentServers(options);
}

function startAgentServers(options: AgentServersOptions): AgentServers {
  const { configured, client, addressRules, takenNames, ...common } = options;
  const hostManager = openMcpManager({ servers: configured, takenNames, ...common });
  const clientManager = openMcpManager({
    servers: {},
    addressRules,
    // A client's tool gets a prefix if a tool of the host has the same name.
    takenNames: () => [
      ...takenNames(),
      prelude.tool.name,
      ...hostManager.tools().map(({ name }) => name),
    ],
    ...common,
  });
  const prelude = createClientServers({
    servers: without(client, configured),
    addressRules,
    isolation: options.sandbox?.isolation,
    start: (name, server) => waitAtMost(clientManager.add(name, server), READY_TIMEOUT_MS),
  });
  const managers: readonly McpManager[] = [hostManager, clientManager];
  return {
    prelude,
    ready: waitAtMost(hostManager.firstAttempts, READY_TIMEOUT_MS),
    tools: () => [prelude.tool, ...managers.flatMap((manager) => manager.tools())],
    status: () => managers.flatMap((manager) => manager.status()),
    restart(serverName) {
      for (const manager of managers) manager.restart(serverName);
    },
    async close() {
      await Promise.all(managers.map((manager) => manager.close()));
    },
  };
}

// Removes the client's servers whose names are taken by configured servers.
function without(servers: Servers, taken: Servers): Servers {
  return Object.fromEntries(
    Object.entries(servers).filter(([name]) => !Object.hasOwn(taken, name)),
  );
}

async function waitAtMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
