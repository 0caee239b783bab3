import { sessionTable } from "../sessions/choose-session.js";
import { listSessions } from "../sessions/stored-sessions.js";
import { say } from "../terminal/say.js";
import type { Place } from "./place.js";

/** Prints the sessions that can be resumed; resolves with the exit code. */
export async function runListSessions(place: Place): Promise<number> {
  say(sessionTable(await listSessions(place)));
  return 0;
}
