import type { SlashCommand } from "@dt/schema";
import type { Command, CommandCaller } from "./command.js";

/** The command of a path, or the reason why the command does not exist or cannot run. */
export type CommandMatch =
  | { readonly type: "found"; readonly command: Command; readonly path: readonly string[] }
  | { readonly type: "unavailable"; readonly reason: string };

/** The commands of a session, as a tree. */
export interface CommandRegistry {
  /** Finds the command of a path such as ["memory", "add"], if the caller can run it with these arguments. */
  find(path: readonly string[], args: string, caller: CommandCaller): CommandMatch;
  /** Returns the tree in the form that clients receive. (RFC 3.3) */
  list(): readonly SlashCommand[];
}

/** Creates a registry. Each `find` and `list` calls `commands`, because the commands may change. */
export function createCommandRegistry(commands: () => readonly Command[]): CommandRegistry {
  return {
    find(path, args, caller) {
      const command = findByPath(commands(), path);
      const name = `/${path.join(" ")}`;
      if (command === undefined) {
        const reason = `there is no command ${name}; /help lists the commands`;
        return { type: "unavailable", reason };
      }
      const needed = (command.arguments ?? []).find((argument) => argument.isRequired);
      if (needed !== undefined && args.trim() === "") {
        return {
          type: "unavailable",
          reason: `${name} needs ${needed.name}: ${needed.description}`,
        };
      }
      const fault = command.check?.(args, caller);
      if (fault !== undefined) return { type: "unavailable", reason: fault };
      return { type: "found", command, path };
    },
    list: () => commands().map(toSlashCommand),
  };
}

function findByPath(commands: readonly Command[], path: readonly string[]): Command | undefined {
  const [name, ...rest] = path;
  const found = commands.find((command) => command.name === name);
  return rest.length === 0 || found === undefined
    ? found
    : findByPath(found.subCommands ?? [], rest);
}

function toSlashCommand(command: Command): SlashCommand {
  return {
    name: command.name,
    description: command.description,
    arguments: command.arguments ?? [],
    subCommands: (command.subCommands ?? []).map(toSlashCommand),
  };
}
