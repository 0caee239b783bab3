import type { McpServerRule, ServerPolicy } from "@dt/schema";

/** Describes the limits of a policy, one per line. The list is empty if no limit affects a session. */
export function describePolicy(policy: ServerPolicy): readonly string[] {
  const { maxMode, allowedTools, excludedTools = [], models, mcpServers } = policy;
  const limits = [
    ...(maxMode === undefined || maxMode === "yolo" ? [] : [`no mode is freer than ${maxMode}`]),
    ...(allowedTools === undefined ? [] : [`the tools are ${listOf(allowedTools)}`]),
    ...(excludedTools.length === 0 ? [] : [`there are no tools ${listOf(excludedTools)}`]),
    ...(models === undefined ? [] : [`the models are ${listOf(models)}`]),
    ...describeRule("clients", mcpServers?.clients),
    ...describeRule("workspaces", mcpServers?.workspaces),
    ...describeRule("the host", mcpServers?.host),
  ];
  if (limits.length === 0) return [];
  return ["the policy of this server, which nobody can loosen here:", ...limits.map(indent)];
}

function describeRule(source: string, rule: McpServerRule = "all"): readonly string[] {
  if (rule === "all") return [];
  return [
    rule === "none"
      ? `MCP servers of ${source} are not used`
      : `MCP servers of ${source} are used only if they have an address`,
  ];
}

function listOf(names: readonly string[]): string {
  return names.join(", ") || "none";
}

function indent(line: string): string {
  return `  ${line}`;
}
