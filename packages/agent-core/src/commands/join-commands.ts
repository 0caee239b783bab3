import type { Command } from "./command.js";

/** Joins lists of commands, as built-in ones, those of code and those of files: of one name, the first. */
export function joinCommands(...lists: readonly (readonly Command[])[]): readonly Command[] {
  const byName = new Map<string, Command>();
  for (const command of lists.flat()) {
    if (!byName.has(command.name)) byName.set(command.name, command);
  }
  return [...byName.values()];
}
