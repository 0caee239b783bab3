import type { SlashCommand } from "@dt/client";

/** A parsed slash command. */
export interface TypedCommand {
  readonly path: readonly string[];
  readonly args: string;
}

/**
 * Parses `/memory add use tabs` as the command ["memory", "add"] with the arguments "use tabs". The first
 * words are command names, up to the first word that the tree of commands does not contain. Returns undefined
 * if the text is no slash command.
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
    if (found === undefined && path.length > 0) return { path, args: rest };
    // An unknown command is sent too, because the agent explains what is wrong with it.
    path.push(word);
    if (found === undefined || after === "") return { path, args: after };
    rest = after;
    level = found.subCommands;
  }
}

/** Lists the commands without sub-commands, each as it is typed (`/memory add`), with its description. */
export function commandHints(
  commands: readonly SlashCommand[],
  prefix = "/",
): readonly { readonly typed: string; readonly description: string }[] {
  return commands.flatMap(({ name, description, subCommands }) => [
    ...(subCommands.length === 0 ? [{ typed: `${prefix}${name}`, description }] : []),
    ...commandHints(subCommands, `${prefix}${name} `),
  ]);
}
