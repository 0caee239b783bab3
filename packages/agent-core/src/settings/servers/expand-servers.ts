import { expandVariables, type Variables } from "./expand-variables.js";

/**
 * Settings in which the variables of MCP servers are expanded, and a fault for each variable that is not
 * set.
 */
export interface ExpandedServers {
  readonly value: unknown;
  readonly missing: readonly { readonly path: readonly string[]; readonly problem: string }[];
}

/** Expands `${NAME}` in `mcpServers` only, because only servers need secrets from variables. */
export function expandServers(value: unknown, variables: Variables): ExpandedServers {
  const servers = recordOf(recordOf(value)?.mcpServers);
  if (servers === undefined) return { value, missing: [] };
  const expanded = Object.entries(servers).map(
    ([name, server]) => [name, expandVariables(server, variables)] as const,
  );
  return {
    value: {
      ...recordOf(value),
      mcpServers: Object.fromEntries(expanded.map(([name, { value: server }]) => [name, server])),
    },
    missing: expanded.flatMap(([name, { missing }]) =>
      missing.map((variable) => ({
        path: ["mcpServers", name],
        problem: `uses the variable ${variable}, which is not set`,
      })),
    ),
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}
