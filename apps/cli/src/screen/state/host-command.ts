import type { SlashCommand } from "@dt/schema";

/** A command that this process performs itself, and not the agent. Only the person at its terminal can type it. */
export interface HostCommand {
  readonly command: SlashCommand;
  /** Returns true for the arguments of this command. An agent may have a command of the same name for others. */
  accepts(args: string): boolean;
  /** Runs the command. Rejects with an error for the person. */
  run(args: string): Promise<HostReply>;
}

/** The output of a host command. */
export interface HostReply {
  readonly text: string;
  /** Rows to print above the text, dark on a light ground. They are left out if the terminal is too narrow. */
  readonly picture?: readonly string[];
}

/** A typed command with its arguments. */
export interface TypedHostCommand {
  readonly host: HostCommand;
  readonly args: string;
}

/**
 * Finds the command that a text names; undefined if there is none, or if the arguments are for the agent's command of
 * the same name. Pure.
 */
export function findHostCommand(
  text: string,
  hosts: readonly HostCommand[],
  agentCommands: readonly SlashCommand[],
): TypedHostCommand | undefined {
  const [, typed, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const host = hosts.find(({ command }) => command.name === typed);
  if (host === undefined) return undefined;
  const isAgents = !host.accepts(args) && agentCommands.some(({ name }) => name === typed);
  return isAgents ? undefined : { host, args };
}
