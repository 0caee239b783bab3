import { ProtocolError } from "../errors/protocol-error.js";
import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { McpServerSource, ServerPolicy } from "./server-policy.js";

/** Returns true if a policy allows a model. */
export function isModelAllowed({ models }: ServerPolicy, name: string): boolean {
  return models?.some((pattern) => matchesName(pattern, name)) ?? true;
}

/** Returns true if a policy allows a tool. */
export function isToolAllowed(
  { allowedTools, excludedTools }: ServerPolicy,
  name: string,
): boolean {
  return allowedTools?.includes(name) !== false && excludedTools?.includes(name) !== true;
}

/** Returns true if a policy allows an MCP server of a source. A server without an address is a program. */
export function isServerAllowed(
  { mcpServers }: ServerPolicy,
  source: McpServerSource,
  server: { readonly url?: string | undefined },
): boolean {
  const rule = mcpServers?.[source] ?? "all";
  return rule === "all" || (rule === "addresses" && Boolean(server.url));
}

/**
 * Throws `forbidden`, with the path of the field, if the settings of a client ask for something that a
 * policy does not allow. Lists of tools are not checked, because a client can only remove tools with them.
 */
export function checkClientSettings(
  policy: ServerPolicy,
  settings: Partial<Pick<AgentSettings, "autoExecute" | "model" | "mcpServers">>,
): void {
  const { autoExecute, model, mcpServers = {} } = settings;
  const { maxMode = "yolo" } = policy;
  if (autoExecute === true && maxMode !== "yolo") {
    refuse(
      "auto_execute",
      `the policy of this server allows no mode that is freer than ${maxMode}`,
    );
  }
  if (model !== undefined && !isModelAllowed(policy, model)) {
    refuse("model", describeModelRefusal(policy, model));
  }
  for (const [name, server] of Object.entries(mcpServers)) {
    if (isServerAllowed(policy, "clients", server)) continue;
    const kind =
      policy.mcpServers?.clients === "addresses" ? "programs as MCP servers" : "MCP servers";
    refuse(`mcp_servers.${name}`, `the policy of this server does not allow ${kind} of clients`);
  }
}

/** Returns the sentence that refuses a model and lists the models that the policy allows. */
export function describeModelRefusal({ models = [] }: ServerPolicy, name: string): string {
  return `the policy of this server does not allow the model ${name}; it allows ${models.join(", ") || "none"}`;
}

function refuse(path: string, problem: string): never {
  throw new ProtocolError("forbidden", `${path}: ${problem}`, { data: { path } });
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
