import type { Tool } from "./tool.js";

/** The current tools of one session, by name. */
export interface ToolRegistry {
  find(name: string): Tool | undefined;
  list(): readonly Tool[];
}

/** A fixed list of tools, or a function if they change over time. */
export type ToolSource = readonly Tool[] | (() => readonly Tool[]);

/**
 * Creates a registry. If a function returns two tools with the same name, the first is used. A
 * fixed list with two tools of the same name is refused.
 */
export function createToolRegistry(source: ToolSource): ToolRegistry {
  if (typeof source === "function") {
    return {
      find: (name) => source().find((tool) => tool.name === name),
      list: source,
    };
  }
  const byName = new Map<string, Tool>();
  for (const tool of source) {
    if (byName.has(tool.name))
      throw new Error(`there are two tools named ${tool.name}; rename one of them`);
    byName.set(tool.name, tool);
  }
  return { find: (name) => byName.get(name), list: () => source };
}
