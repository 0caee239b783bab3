import type { SlashCommand } from "@dt/client";

/** A slash command as it was typed. */
export interface TypedCommand {
  readonly path: readonly string[];
  readonly args: string;
}

/**
 * Reads `/memory add use tabs` as the command at ["memory", "add"] with the arguments "use tabs": words
 * are names for as long as the tree has them. Undefined for what is no slash command.
 */
export function parseSlashCommand(
  text: string,
  commands: readonly SlashCommand[],
): TypedCommand | undefined {
  const typed = /^\/(\S.*)$/s.exec(text.trim())?.[1];
  if (typed === undefined) return undefined;
  const path: string[] = [];
  let rest = typed;
  let level: readonly SlashCommand[] = commands;
  for (;;) {
    const [, word = "", after = ""] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
    const found = level.find(({ name }) => name === word);
    // A name that nobody knows is sent as it is: the agent says what is wrong with it.
    if (found === undefined && path.length > 0) return { path, args: rest };
    path.push(word);
    if (found === undefined || after === "") return { path, args: after };
    rest = after;
    level = found.subCommands;
  }
}

/** Every command that can be typed, with what it is for: `/memory add <text>`. */
export function commandHints(
  commands: readonly SlashCommand[],
  prefix = "/",
): readonly { readonly typed: string; readonly description: string }[] {
  return commands.flatMap(({ name, description, subCommands }) => [
    ...(subCommands.length === 0 ? [{ typed: `${prefix}${name}`, description }] : []),
    ...commandHints(subCommands, `${prefix}${name} `),
  ]);
}
