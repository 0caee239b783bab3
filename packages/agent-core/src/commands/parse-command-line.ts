import type { SlashCommand } from "@dt/schema";

/** A slash command as a person typed it: its path in the tree of commands, and the text after the path. */
export interface CommandLine {
  readonly path: readonly string[];
  readonly args: string;
}

/**
 * Parses `/memory add a fact` to the path ["memory", "add"] and "a fact". Returns undefined if the text is not
 * a command. An unknown name also becomes a path, so that running it reports the error.
 */
export function parseCommandLine(
  text: string,
  commands: readonly SlashCommand[],
): CommandLine | undefined {
  const [, name, rest = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const path = [name];
  let args = rest;
  let level = commands.find((command) => command.name === name)?.subCommands ?? [];
  for (;;) {
    const [word = ""] = args.split(/\s/, 1);
    const sub = level.find((command) => command.name === word);
    if (sub === undefined) return { path, args };
    path.push(word);
    args = args.slice(word.length).trimStart();
    level = sub.subCommands;
  }
}
