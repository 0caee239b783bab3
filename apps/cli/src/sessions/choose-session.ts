import { showControlOnLine } from "@dt/schema";
import { SetupError, type StoredSession } from "@dt/server";

/** Minimum length of the beginning of an id that a person must type. */
const MIN_ID_LENGTH = 4;

/** A stored session as `dt --list-sessions` shows it. */
export type ListedSession = Pick<
  StoredSession,
  "contextId" | "settings" | "lastActiveAt" | "lastPrompt"
>;

/**
 * Finds the session whose id begins with `id`. If `id` is undefined, finds the latest session of the
 * directory. Throws a SetupError with advice if no session or several sessions match, or if `id` is too
 * short.
 */
export function chooseSession(
  sessions: readonly ListedSession[],
  wanted: { readonly id: string | undefined; readonly workspacePath: string },
): ListedSession {
  const { id, workspacePath } = wanted;
  if (id === undefined) {
    const last = sessions.find(({ settings }) => settings.workspacePath === workspacePath);
    if (last !== undefined) return last;
    throw new SetupError(
      `${workspacePath} has no session to resume; dt --list-sessions shows all sessions`,
    );
  }
  const found = sessions.filter(({ contextId }) => contextId.startsWith(id));
  const [only] = found;
  if (only === undefined) {
    throw new SetupError(`there is no session ${id}; dt --list-sessions shows all sessions`);
  }
  if (found.length > 1) {
    throw new SetupError(
      `${found.length} sessions have an id that begins with ${id}; give more characters`,
    );
  }
  if (id.length < MIN_ID_LENGTH) {
    throw new SetupError(`the id ${id} is too short; give at least ${MIN_ID_LENGTH} characters`);
  }
  return only;
}

/** Formats sessions as a table with one line each. */
export function sessionTable(sessions: readonly ListedSession[]): string {
  if (sessions.length === 0) return "no sessions yet";
  return sessions
    .map(({ contextId, lastActiveAt, settings, lastPrompt = "" }) =>
      [
        contextId.slice(0, 8),
        lastActiveAt.slice(0, 16).replace("T", " "),
        showControlOnLine(settings.workspacePath),
        showControlOnLine(lastPrompt).slice(0, 80),
      ].join("  "),
    )
    .join("\n");
}
