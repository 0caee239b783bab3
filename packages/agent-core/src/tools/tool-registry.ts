import type { Tool } from "./tool.js";

/** The current tools of one session, by name. */
export interface ToolRegistry {
  find(name: string): Tool | undefined;
  list(): readonly Tool[];
}

/** A fixed list of tools, or a function that returns the current tools. */
export type ToolSource = readonly Tool[] | (() => readonly Tool[]);

/**
 * Creates a registry. Throws if a fixed list contains two tools with the same name. If a function
 * returns two such tools, a call uses the first one.
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
