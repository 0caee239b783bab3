import type { SlashCommand } from "@dt/schema";

/**
 * A command that this process performs, and not the agent. Only the person at the terminal of this process
 * can run it.
 */
export interface HostCommand {
  readonly command: SlashCommand;
  /**
   * Returns true if the command accepts these arguments. All other arguments go to an agent's command of
   * the same name, if there is one.
   */
  accepts(args: string): boolean;
  /** Runs the command. Rejects with an error for the person. */
  run(args: string): Promise<HostReply>;
}

/** The output of a host command. */
export interface HostReply {
  readonly text: string;
  /**
   * Rows to print above the text, dark on a light background. The rows are left out if the terminal is too
   * narrow.
   */
  readonly picture?: readonly string[];
}

/** A typed command with its arguments. */
export interface TypedHostCommand {
  readonly host: HostCommand;
  readonly args: string;
}

/**
 * Finds the command that a text names. Returns undefined if there is none, or if the arguments are for the
 * agent's command of the same name. Pure.
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
