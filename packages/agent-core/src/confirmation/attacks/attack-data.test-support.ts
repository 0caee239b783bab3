import { readFileSync } from "node:fs";

/**
 * Commands that look like allowed commands but do something else. Each has a visible effect in bash: it
 * creates a file PWN, changes a file, or prints a file outside the workspace.
 */
export const attacks: readonly string[] = Object.values(
  read<Record<string, readonly string[]>>("shell-attacks.json"),
).flat();

/** Commands that must also ask, although their effect is not always visible, so the tests cannot prove it. */
export const suspiciousCommands: readonly string[] = [
  ...Object.values(read<Record<string, readonly string[]>>("suspicious-commands.json")).flat(),
  `ls ${"a ".repeat(3000)}`,
  `cat ${"x".repeat(300)}`,
];

/** Commands to which a careless person answers "always", and the commands that these answers allow. */
export const { careless, covered } = read<{
  readonly careless: readonly string[];
  readonly covered: readonly string[];
}>("covered-commands.json");

function read<TData>(name: string): TData {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}
