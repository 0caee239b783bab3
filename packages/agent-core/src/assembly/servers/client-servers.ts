import type { ToolCall } from "@dt/schema";
import type { CommandCall } from "../../commands/command.js";
import { ToolError } from "../../errors/tool-error.js";
import type { AddressRules } from "../../mcp/address/address-rules.js";
import type { McpServerSettings } from "../../settings/servers/mcp-server-settings.js";
import { getPlanned } from "../../tools/check-planned.js";
import type { Plan, Tool, ToolRun } from "../../tools/tool.js";
import type { Prelude } from "../../turn/turn-scope.js";
import type { Isolation } from "../../workspace/processes/sandbox.js";
import { digestValues } from "./digest-values.js";
import { planServerStart } from "./plan-server-start.js";

/** The MCP servers of a client. Each one is started only after approval. */
export interface ClientServers extends Prelude {
  /** The tool that asks for approval and then starts a server. */
  readonly tool: Tool;
}

const TOOL_NAME = "start_mcp_server";

/** Options of {@link createClientServers}. */
export interface ClientServersOptions {
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  readonly addressRules: AddressRules;
  /** Isolation of the servers' programs; undefined if they run in no sandbox. */
  readonly isolation?: Isolation | undefined;
  /** Starts one server; resolves when the first attempt to connect has ended, or after ten seconds. */
  start(name: string, server: McpServerSettings): Promise<void>;
}

/**
 * Creates the tool that starts a client's servers, and the prelude that calls the tool for each server. The
 * question of each call shows the server's command line or address. (SEC-04)
 */
export function createClientServers(options: ClientServersOptions): ClientServers {
  const { addressRules, isolation, start } = options;
  const servers = new Map(Object.entries(options.servers));
  const settledNames = new Set<string>();

  const digests = new Map<string, Promise<string>>();

  async function planFor(name: unknown, workspaceRoot: string) {
    const server = servers.get(String(name));
    if (server === undefined)
      throw new ToolError("unknown_server", `the client has no MCP server called ${name}`);
    const question = {
      name: String(name),
      server,
      toolName: TOOL_NAME,
      workspaceRoot,
      addressRules,
      isolation,
      digest: await getDigest(String(name), server),
    };
    return { server, plan: planServerStart(question) };
  }

  function getDigest(name: string, server: McpServerSettings): Promise<string> {
    const digest = digests.get(name) ?? digestValues(name, server);
    digests.set(name, digest);
    return digest;
  }

  return {
    calls: (): readonly CommandCall[] =>
      [...servers.keys()]
        .filter((name) => !settledNames.has(name))
        .map((server) => ({ toolName: TOOL_NAME, input: { server } })),
    settled(calls: readonly ToolCall[]) {
      for (const { inputParameters } of calls) settledNames.add(String(inputParameters?.server));
    },
    tool: {
      name: TOOL_NAME,
      description: "Starts an MCP server that the client named.",
      isInternal: true,
      isReadOnly: false,
      parameters: {
        type: "object",
        properties: { server: { type: "string" } },
        required: ["server"],
      },
      plan: async ({ server }, workspace) => (await planFor(server, workspace.root)).plan,
      async run({ server: name }, { workspace, planned }) {
        const { server, plan } = await planFor(name, workspace.root);
        checkStart(plan, { planned });
        await start(String(name), server);
        return { result: { $case: "text", value: `started ${name}` } };
      },
    },
  };
}

/** Throws if the server would now start in another way than was approved, for example in no sandbox. */
function checkStart({ actions }: Plan, run: Pick<ToolRun, "planned">): void {
  const names = getPlanned(run).map((action) => action.type === "other" && action.name);
  if (actions.every((action) => action.type === "other" && names.includes(action.name))) return;
  throw new ToolError(
    "server_changed",
    "the MCP server would now start in another way than the approved one, so it was not started; ask again",
  );
}
