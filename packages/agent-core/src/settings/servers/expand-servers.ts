import { expandVariables, type Variables } from "./expand-variables.js";

/**
 * Settings in which the variables of MCP servers and called agents are expanded, and a fault for each
 * variable that is not set.
 */
export interface ExpandedServers {
  readonly value: unknown;
  readonly missing: readonly { readonly path: readonly string[]; readonly problem: string }[];
}

/** Keys of the settings that may need secrets. Variables are expanded only below these keys. */
const KEYS = ["mcpServers", "agents"] as const;

/** Expands `${NAME}` in `mcpServers` and `agents` only, because only they need secrets from variables. */
export function expandServers(value: unknown, variables: Variables): ExpandedServers {
  let expanded: ExpandedServers = { value, missing: [] };
  for (const key of KEYS) expanded = expandEntries(expanded, key, variables);
  return expanded;
}

function expandEntries(
  { value, missing: earlier }: ExpandedServers,
  key: (typeof KEYS)[number],
  variables: Variables,
): ExpandedServers {
  const entries = recordOf(recordOf(value)?.[key]);
  if (entries === undefined) return { value, missing: earlier };
  const expanded = Object.entries(entries).map(
    ([name, entry]) => [name, expandVariables(entry, variables)] as const,
  );
  const missing = expanded.flatMap(([name, entry]) =>
    entry.missing.map((variable) => ({
      path: [key, name],
      problem: `uses the variable ${variable}, which is not set`,
    })),
  );
  const changed = Object.fromEntries(expanded.map(([name, entry]) => [name, entry.value]));
  return { value: { ...recordOf(value), [key]: changed }, missing: [...earlier, ...missing] };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}
