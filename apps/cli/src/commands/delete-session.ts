import { sessionTable } from "../sessions/choose-session.js";
import { deleteSession } from "../sessions/stored-sessions.js";
import { printLine } from "../terminal/print.js";
import type { CommandContext } from "./command-context.js";

/** Deletes a session with its files; resolves with the exit code. */
export async function runDeleteSession(id: string, context: CommandContext): Promise<number> {
  printLine(`deleted: ${sessionTable([await deleteSession(id, context)])}`);
  return 0;
}
