import { sessionTable } from "../sessions/choose-session.js";
import { listSessions } from "../sessions/stored-sessions.js";
import { printLine } from "../terminal/print.js";
import type { CommandContext } from "./command-context.js";

/** Prints the sessions that can be resumed; resolves with the exit code. */
export async function runListSessions(context: CommandContext): Promise<number> {
  printLine(sessionTable(await listSessions(context)));
  return 0;
}
