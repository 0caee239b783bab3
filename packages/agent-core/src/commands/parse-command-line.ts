import type { SlashCommand } from "@dt/schema";

/** What someone typed, as a path into the tree and what stands behind it. */
export interface CommandLine {
  readonly path: readonly string[];
  readonly args: string;
}

/**
 * `/memory add a fact` → the path ["memory", "add"] and "a fact"; undefined where the text is no command.
 * A name that nobody knows is still a path, so that whoever runs it can say so.
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
