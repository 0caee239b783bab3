import { rm } from "node:fs/promises";
import path from "node:path";
import { openSqliteStore, type SessionStore } from "@dt/server";
import { chooseSession, type ListedSession } from "./choose-session.js";
import { dataPaths } from "./data-paths.js";

/**
 * The home directory and the environment variables of the person who runs dt. They decide where sessions
 * are stored.
 */
export interface UserEnvironment {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MAX_LISTED_SESSIONS = 1000;

/** Opens the store of this person's sessions; the caller must close the store. */
export function openStore(
  { environment, home }: UserEnvironment,
  onFault: (error: Error) => void = () => {},
): SessionStore {
  // The store is shared, because several terminals may run dt at once.
  return openSqliteStore({ file: dataPaths(environment, home).database, isShared: true, onFault });
}

/** Returns the directory of a session's long outputs and checkpoints. */
export function sessionDirectory(
  contextId: string,
  { environment, home }: UserEnvironment,
): string {
  return path.join(dataPaths(environment, home).sessions, encodeURIComponent(contextId));
}

/** Lists the sessions of a store that can be resumed, the latest first. */
export async function listStored(store: SessionStore): Promise<readonly ListedSession[]> {
  return await store.listSessions({ owner: "terminal", limit: MAX_LISTED_SESSIONS });
}

/** Lists the sessions that can be resumed, the latest first. */
export async function listSessions(user: UserEnvironment): Promise<readonly ListedSession[]> {
  const store = openStore(user);
  try {
    return await listStored(store);
  } finally {
    await store.close();
  }
}

/**
 * Deletes the session whose id begins with `id`, with its outputs and checkpoints. Throws a SetupError if
 * there is no such session, or if a process has the session open.
 */
export async function deleteSession(
  id: string,
  user: UserEnvironment & { readonly workspacePath: string },
): Promise<ListedSession> {
  const store = openStore(user);
  try {
    const { workspacePath } = user;
    const chosen = chooseSession(await listStored(store), { id, workspacePath });
    await deleteStored(store, chosen.contextId, user);
    return chosen;
  } finally {
    await store.close();
  }
}

/** Deletes a session with its files. Throws a SetupError if a process has the session open. */
export async function deleteStored(
  store: SessionStore,
  contextId: string,
  user: UserEnvironment,
): Promise<void> {
  const lease = await store.acquire(contextId);
  await store.deleteSession(contextId);
  await rm(sessionDirectory(contextId, user), { recursive: true, force: true });
  await lease.release();
}
