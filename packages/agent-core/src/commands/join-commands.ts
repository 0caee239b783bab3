import type { Command } from "./command.js";

/** Joins lists of commands. If two commands have the same name, the first one is used. */
export function joinCommands(...lists: readonly (readonly Command[])[]): readonly Command[] {
  const byName = new Map<string, Command>();
  for (const command of lists.flat()) {
    if (!byName.has(command.name)) byName.set(command.name, command);
  }
  return [...byName.values()];
}
