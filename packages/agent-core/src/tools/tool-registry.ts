import type { Tool } from "./tool.js";

/** The tools of one session, by name, as they are at the moment. */
export interface ToolRegistry {
  find(name: string): Tool | undefined;
  list(): readonly Tool[];
}

/** Tools that stay as they are, or that are asked for each time since they come and go. */
export type ToolSource = readonly Tool[] | (() => readonly Tool[]);

/** Looks tools up; of two with one name the first counts. Refuses a fixed list that has such two. */
export function createToolRegistry(source: ToolSource): ToolRegistry {
  if (typeof source === "function") {
    return {
      find: (name) => source().find((tool) => tool.name === name),
      list: source,
    };
  }
  const byName = new Map<string, Tool>();
  for (const tool of source) {
    if (byName.has(tool.name)) throw new Error(`there are two tools called ${tool.name}`);
    byName.set(tool.name, tool);
  }
  return { find: (name) => byName.get(name), list: () => source };
}
