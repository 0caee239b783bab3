import type { Command } from "../command.js";

/** A command and its path in the tree. */
export interface CommandNode
  extends Pick<Command, "description" | "arguments" | "asksFirst" | "run"> {
  readonly path: readonly string[];
}

/** Builds the tree from commands with paths. A path that has only commands below it becomes a group. Pure. */
export function toCommands(
  nodes: readonly CommandNode[],
  above: readonly string[] = [],
): readonly Command[] {
  const names = [...new Set(nodes.map(({ path }) => path[above.length] ?? ""))].sort();
  return names.map((name) => {
    const path = [...above, name];
    const here = nodes.filter((node) => node.path[above.length] === name);
    const own = here.find((node) => node.path.length === path.length);
    const below = here.filter((node) => node.path.length > path.length);
    const { path: _, ...command } = own ?? { path, description: `commands of ${path.join("/")}` };
    return {
      name,
      ...command,
      ...(below.length > 0 && { subCommands: toCommands(below, path) }),
    };
  });
}
