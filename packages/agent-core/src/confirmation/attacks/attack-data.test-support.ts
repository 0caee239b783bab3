import { readFileSync } from "node:fs";

/**
 * Commands that look like allowed ones but do something else, grouped by their trick. Each leaves a
 * trace in bash: a file PWN, a changed file, or the text of a file outside.
 */
export const attacks: readonly string[] = Object.values(
  read<Record<string, readonly string[]>>("shell-attacks.json"),
).flat();

/** Commands that must also ask, but leave no trace here or not with every version of a program. */
export const suspiciousCommands: readonly string[] = [
  ...Object.values(read<Record<string, readonly string[]>>("suspicious-commands.json")).flat(),
  `ls ${"a ".repeat(3000)}`,
  `cat ${"x".repeat(300)}`,
];

/** Commands to which a careless person answered "always", and the commands that are covered then. */
export const { careless, covered } = read<{
  readonly careless: readonly string[];
  readonly covered: readonly string[];
}>("covered-commands.json");

function read<TData>(name: string): TData {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}
