import type { SlashCommand } from "@dt/schema";

/** One line of a menu. */
export interface Choice {
  /** What the prompt becomes when it is chosen. */
  readonly text: string;
  readonly label: string;
  readonly description: string;
  /** Whether it can run as it is: no argument is required. */
  readonly isComplete: boolean;
}

/** What a slash command that is being typed may become. */
export interface CommandMenu {
  readonly choices: readonly Choice[];
  /** What the command that is typed expects behind its name, e.g. "NAME [VALUE]". */
  readonly hint?: string;
}

/** The commands that fit what is typed: their names, then those of their sub-commands, then arguments. */
export function completeCommand(
  typed: string,
  commands: readonly SlashCommand[],
): CommandMenu | undefined {
  const [, words] = /^\/([\S ]*)$/.exec(typed) ?? [];
  if (words === undefined) return undefined;
  const path = words.split(/ +/);
  const last = path.pop() ?? "";
  let level = commands;
  let parent: SlashCommand | undefined;
  for (const name of path) {
    parent = level.find((command) => command.name === name);
    if (parent === undefined) return undefined;
    // What follows a command without sub-commands are its arguments.
    if (parent.subCommands.length === 0) return { choices: [], ...hintOf(parent) };
    level = parent.subCommands;
  }
  const before = path.map((name) => `${name} `).join("");
  const exact = level.find(({ name }) => name === last);
  const others = level.filter(({ name }) => name.startsWith(last) && name !== last);
  const choices = [...(exact === undefined ? [] : [exact]), ...others].map((command) =>
    toChoice(command, before),
  );
  return { choices, ...(exact === undefined ? {} : hintOf(exact)) };
}

function toChoice(command: SlashCommand, before: string): Choice {
  const takesMore = command.subCommands.length > 0 || command.arguments.length > 0;
  return {
    text: `/${before}${command.name}${takesMore ? " " : ""}`,
    label: `/${before}${command.name}${usageOf(command)}`,
    description: command.description,
    isComplete: !command.arguments.some(({ isRequired }) => isRequired),
  };
}

function hintOf(command: SlashCommand): { readonly hint?: string } {
  if (command.arguments.length === 0) return {};
  const described = command.arguments.map(({ name, description }) => `${name}: ${description}`);
  return { hint: `${usageOf(command).trim()} — ${described.join("; ")}` };
}

function usageOf({ arguments: args, subCommands }: SlashCommand): string {
  if (subCommands.length > 0) return " …";
  return args.map(({ name, isRequired }) => (isRequired ? ` ${name}` : ` [${name}]`)).join("");
}
