import { sessionTable } from "../sessions/choose-session.js";
import { deleteSession } from "../sessions/stored-sessions.js";
import { say } from "../terminal/say.js";
import type { Place } from "./place.js";

/** Forgets a session and all that was kept of it; resolves with the exit code. */
export async function runDeleteSession(id: string, place: Place): Promise<number> {
  say(`deleted: ${sessionTable([await deleteSession(id, place)])}`);
  return 0;
}
