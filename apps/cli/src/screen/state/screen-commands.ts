import type { SlashCommand } from "@dt/schema";

const leaving = ["quit", "exit"];

/** The commands of the screen itself, in the menu beside the agent's. */
export const screenCommands: readonly SlashCommand[] = leaving.map((name) => ({
  name,
  description: "Leave; the session can be resumed",
  arguments: [],
  subCommands: [],
}));

/** Whether what was typed asks the screen to close. */
export function isLeaveCommand(text: string): boolean {
  return leaving.includes(text.replace(/^\//, "")) && text.startsWith("/");
}
