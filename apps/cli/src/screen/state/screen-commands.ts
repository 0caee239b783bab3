import type { SlashCommand } from "@dt/schema";
import type { HostCommand } from "./host-command.js";

const LEAVE_COMMANDS = ["quit", "exit"];

/** Commands of the screen itself; the menu lists them beside the commands of the agent. */
export const SCREEN_COMMANDS: readonly SlashCommand[] = LEAVE_COMMANDS.map((name) => ({
  name,
  description: "leave; the session can be resumed",
  arguments: [],
  subCommands: [],
}));

/** True if the typed text is a command that closes the screen. */
export function isLeaveCommand(text: string): boolean {
  return LEAVE_COMMANDS.includes(text.replace(/^\//, "")) && text.startsWith("/");
}

/** Lists help lines for the commands of the screen and of this process, which the agent does not know. Pure. */
export function screenHelpLines(
  text: string,
  hosts: readonly HostCommand[] = [],
): readonly string[] {
  const [, wanted] = /^\/help(?:\s+\/?(\S+))?\s*$/.exec(text) ?? ["", ""];
  const known = [...hosts.map(({ command }) => command), ...SCREEN_COMMANDS];
  return known
    .filter(({ name }) => wanted === undefined || wanted === name)
    .map(({ name, description }) => `/${name}: ${description}`);
}
