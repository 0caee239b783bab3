import {
  describeModelRefusal,
  isModelAllowed,
  isServerAllowed,
  type McpServerSource,
  type ServerPolicy,
} from "@dt/schema";
import type { McpServerSettings } from "../servers/mcp-server-settings.js";
import type { Settings } from "../settings.js";
import type { SettingsFault } from "../settings-error.js";

type Servers = Readonly<Record<string, McpServerSettings>>;

/** A value without the parts that a policy forbids, and a warning for each removed part. */
export interface Narrowed<TValue> {
  readonly value: TValue;
  readonly warnings: readonly SettingsFault[];
}

/** Removes the model and the MCP servers that a policy forbids from the settings of one file. */
export function narrowSettings(
  settings: Settings,
  policy: ServerPolicy,
  origin: { readonly file: string; readonly source: McpServerSource },
): Narrowed<Settings> {
  const { model, mcpServers, ...rest } = settings;
  const servers = narrowServers(mcpServers ?? {}, policy, origin);
  const isModelKept = model === undefined || isModelAllowed(policy, model);
  const modelWarning = {
    file: origin.file,
    key: "model",
    problem: `is ignored, because ${describeModelRefusal(policy, model ?? "")}`,
  };
  return {
    value: {
      ...rest,
      ...(model !== undefined && isModelKept && { model }),
      ...(mcpServers !== undefined && { mcpServers: servers.value }),
    },
    warnings: [...(isModelKept ? [] : [modelWarning]), ...servers.warnings],
  };
}

/** Removes the MCP servers that a policy forbids. */
export function narrowServers(
  servers: Servers,
  policy: ServerPolicy,
  { file, source }: { readonly file: string; readonly source: McpServerSource },
): Narrowed<Servers> {
  const entries = Object.entries(servers);
  const isKept = (server: McpServerSettings) =>
    isServerAllowed(policy, source, "url" in server ? server : {});
  const removed = entries.filter(([, server]) => !isKept(server));
  return {
    value: Object.fromEntries(entries.filter(([, server]) => isKept(server))),
    warnings: removed.map(([name]) => ({
      file,
      key: `mcpServers.${name}`,
      problem: "is ignored, because the policy of this server does not allow it",
    })),
  };
}
