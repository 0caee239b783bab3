import type { SlashCommand } from "@dt/schema";

/** One line of a menu. */
export interface Choice {
  /** Text that the input field contains after the person has chosen this line. */
  readonly text: string;
  readonly label: string;
  readonly description: string;
  /** True if the command can run without arguments. */
  readonly isComplete: boolean;
}

/** Completions of a slash command. */
export interface CommandMenu {
  readonly choices: readonly Choice[];
  /** Usage of the typed command, then its arguments, for example "path — path: the file to read". */
  readonly hint?: string;
}

/** Completes a slash command: its name, then its sub-commands, then a hint for its arguments. Pure. */
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
    // The words after a command without sub-commands are its arguments, so there is nothing to choose.
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
  const hasMore = command.subCommands.length > 0 || command.arguments.length > 0;
  return {
    text: `/${before}${command.name}${hasMore ? " " : ""}`,
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
