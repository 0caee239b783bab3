import type { Tool } from "./tool.js";

/** The tools of one session, by name. */
export interface ToolRegistry {
  find(name: string): Tool | undefined;
  list(): readonly Tool[];
}

/** Collects tools; refuses two of one name. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`there are two tools called ${tool.name}`);
    byName.set(tool.name, tool);
  }
  return { find: (name) => byName.get(name), list: () => [...byName.values()] };
}
