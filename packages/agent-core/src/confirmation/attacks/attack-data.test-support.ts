import { readFileSync } from "node:fs";

/**
 * Commands that look like what was allowed and do something else, by the trick that they use. Each
 * leaves a trace in bash: a file PWN, another change of a file, or the text of a file outside.
 */
export const attacks: readonly string[] = Object.values(
  read<Record<string, readonly string[]>>("shell-attacks.json"),
).flat();

/** Commands that leave no trace here, or not with every version of a program, and must ask too. */
export const suspiciousCommands: readonly string[] = [
  ...Object.values(read<Record<string, readonly string[]>>("suspicious-commands.json")).flat(),
  `ls ${"a ".repeat(3000)}`,
  `cat ${"x".repeat(300)}`,
];

/** Commands to which a careless person said "always", and what is covered then. */
export const { careless, covered } = read<{
  readonly careless: readonly string[];
  readonly covered: readonly string[];
}>("covered-commands.json");

function read<TData>(name: string): TData {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}
