import { showControlOnLine } from "@dt/schema";
import { SetupError, type StoredSession } from "@dt/server";

/** How little of an id is enough to name a session. */
const shortestId = 4;

/** What is known of a session before it is opened. */
export type ListedSession = Pick<
  StoredSession,
  "contextId" | "settings" | "lastActiveAt" | "lastPrompt"
>;

/**
 * The session that `--resume` means: the one whose id begins so, or, without an id, the last one of this
 * directory. Throws a SetupError that says what to do instead.
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
      `there is no session of ${workspacePath} to resume; dt --list-sessions shows all`,
    );
  }
  const found = sessions.filter(({ contextId }) => contextId.startsWith(id));
  const [only] = found;
  if (only === undefined) {
    throw new SetupError(`there is no session ${id}; dt --list-sessions shows all`);
  }
  if (found.length > 1) {
    throw new SetupError(`${id} begins the ids of ${found.length} sessions; say more of it`);
  }
  if (id.length < shortestId) {
    throw new SetupError(`${id} is too little of an id: say at least ${shortestId} letters of it`);
  }
  return only;
}

/** The sessions as a table, one line each. */
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
