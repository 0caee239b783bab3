import type { AddressRules } from "../mcp/address/address-rules.js";
import { type McpManager, type McpServerReport, openMcpManager } from "../mcp/mcp-manager.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Tool } from "../tools/tool.js";
import { type ClientServers, createClientServers } from "./client-servers.js";

type Servers = Readonly<Record<string, McpServerSettings>>;

/** All MCP servers of a session: those of its configuration, and those that its client named. */
export interface AgentServers {
  /** What must be asked before a client's servers are started. */
  readonly prelude: ClientServers;
  /** Resolves when every server was tried, or after ten seconds: tools come when they come. */
  readonly ready: Promise<void>;
  tools(): readonly Tool[];
  status(): readonly McpServerReport[];
  restart(serverName: string): void;
  close(): Promise<void>;
}

/** What the servers need. */
export interface AgentServersOptions {
  readonly configured: Servers;
  readonly client: Servers;
  /** What the client's servers may be connected to. */
  readonly addressRules: AddressRules;
  /** A cleaned environment for programs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly takenNames: readonly string[];
  /** Measures time in milliseconds; a change of the wall clock does not affect it. */
  elapsedMs(): number;
}

const PATIENCE_MS = 10_000;

/** Starts the configured servers; those that the client named wait until someone allows them. */
export function openAgentServers(options: AgentServersOptions): AgentServers {
  const { configured, client, addressRules, takenNames, ...common } = options;
  const main = openMcpManager({ servers: configured, takenNames: () => takenNames, ...common });
  const named = openMcpManager({
    servers: {},
    addressRules,
    // No name stands for two tools, and a client's server does not rename a tool of the host's.
    takenNames: () => [...takenNames, prelude.tool.name, ...main.tools().map(({ name }) => name)],
    ...common,
  });
  const prelude = createClientServers({
    servers: without(client, configured),
    addressRules,
    start: (name, server) => withLimit(named.add(name, server), PATIENCE_MS),
  });
  const managers: readonly McpManager[] = [main, named];
  return {
    prelude,
    ready: withLimit(main.tried, PATIENCE_MS),
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

// A name that the configuration uses already keeps its meaning.
function without(servers: Servers, taken: Servers): Servers {
  return Object.fromEntries(
    Object.entries(servers).filter(([name]) => !Object.hasOwn(taken, name)),
  );
}

async function withLimit(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
