import { type Command, type CommandCaller, CommandError } from "./command.js";

/** Context that an {@link AgentCommand} gets. */
export interface AgentCommandContext {
  readonly caller: CommandCaller;
  /** Aborts when the command is cancelled. */
  readonly signal: AbortSignal;
}

/** Result of a command: whether it succeeded, and its text. Any other object is shown as JSON. */
export type AgentCommandResult =
  | { readonly success: boolean; readonly output?: string }
  | Readonly<Record<string, unknown>>;

/** A command as a program registers it. (server reference, "Command Registry") */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  execute(context: AgentCommandContext, args: string[]): Promise<AgentCommandResult>;
}

/** Commands that a program registers by name. */
export interface AgentCommandRegistry {
  /** Adds a command. Throws if its name is taken. */
  register(command: AgentCommand): void;
  /** Runs a command without a session. Throws a {@link CommandError} if there is no such command. */
  execute(name: string, args: readonly string[]): Promise<AgentCommandResult>;
  /** Returns the registered commands as slash commands, for `openAgentSession`. */
  commands(): readonly Command[];
}

/** The caller of commands that the embedding program runs itself. */
const EMBEDDER: CommandCaller = { user: "host", isHost: true };

/** Creates an empty registry. */
export function createAgentCommandRegistry(): AgentCommandRegistry {
  const known = new Map<string, AgentCommand>();
  return {
    register(command) {
      if (known.has(command.name)) {
        throw new CommandError(`there is already a command called ${command.name}`);
      }
      known.set(command.name, command);
    },
    async execute(name, args) {
      const command = known.get(name);
      if (command === undefined) throw new CommandError(`there is no command called ${name}`);
      const { signal } = new AbortController();
      return await command.execute({ caller: EMBEDDER, signal }, [...args]);
    },
    commands: () => [...known.values()].map(fromAgentCommand),
  };
}

/** Converts a command to a slash command. The text after its name is split at spaces outside quotes. */
export function fromAgentCommand(command: AgentCommand): Command {
  const { name, description } = command;
  const words = { name: "args", description: "the arguments", isRequired: false };
  return {
    name,
    description,
    arguments: [words],
    async run({ args, caller, signal }) {
      const result = await command.execute({ caller, signal }, splitWords(args));
      const text = describeResult(result);
      if (result.success === false) throw new CommandError(text || `${name} failed`);
      return text === "" ? { type: "done" } : { type: "done", say: text };
    },
  };
}

function describeResult(result: AgentCommandResult): string {
  const { success, output, ...rest } = result;
  if (typeof output === "string") return output;
  if (output !== undefined || Object.keys(rest).length > 0) return JSON.stringify(result, null, 2);
  return "";
}

function splitWords(text: string): string[] {
  const words = text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return [...words].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}
