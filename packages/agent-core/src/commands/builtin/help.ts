import type { SlashCommand, SlashCommandArgument } from "@dt/schema";
import { type Command, CommandError } from "../command.js";

/** Creates `/help`, which lists the commands or describes one. */
export function createHelpCommand(commands: () => readonly SlashCommand[]): Command {
  return {
    name: "help",
    description: "lists the commands, or describes one",
    arguments: [{ name: "command", description: "e.g. memory add", isRequired: false }],
    runsConcurrently: () => true,
    async run({ args }) {
      const path = args.trim().replace(/^\//, "").split(/\s+/).filter(Boolean);
      if (path.length === 0) return { type: "done", say: listCommands(commands()) };
      const found = findCommand(commands(), path);
      if (found !== undefined) return { type: "done", say: describeCommand(found, path) };
      throw new CommandError(`there is no command /${path.join(" ")}; /help lists the commands`);
    },
  };
}

function findCommand(
  commands: readonly SlashCommand[],
  [name, ...rest]: readonly string[],
): SlashCommand | undefined {
  const found = commands.find((command) => command.name === name);
  return rest.length === 0 || found === undefined ? found : findCommand(found.subCommands, rest);
}

function listCommands(commands: readonly SlashCommand[], above: readonly string[] = []): string {
  const indent = "  ".repeat(above.length);
  const lines = commands.flatMap((command) => {
    const path = [...above, command.name];
    const line = `${indent}${usageOf(command, path)}: ${command.description}`;
    return command.subCommands.length === 0
      ? [line]
      : [line, listCommands(command.subCommands, path)];
  });
  return lines.join("\n");
}

function describeCommand(command: SlashCommand, path: readonly string[]): string {
  const { description, arguments: args, subCommands } = command;
  return [
    `${usageOf(command, path)}: ${description}`,
    ...args.map((argument) => `  ${placeholderOf(argument)}: ${argument.description}`),
    ...(subCommands.length === 0 ? [] : [listCommands(subCommands, path)]),
  ].join("\n");
}

function usageOf({ arguments: args }: SlashCommand, path: readonly string[]): string {
  return [`/${path.join(" ")}`, ...args.map(placeholderOf)].join(" ");
}

function placeholderOf({ name, isRequired }: SlashCommandArgument): string {
  return isRequired ? `<${name}>` : `[${name}]`;
}
