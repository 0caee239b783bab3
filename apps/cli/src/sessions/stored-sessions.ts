import { rm } from "node:fs/promises";
import path from "node:path";
import { openSqliteStore, type SessionStore } from "@dt/server";
import { chooseSession, type ListedSession } from "./choose-session.js";
import { dataPaths } from "./data-paths.js";

/** Where sessions are kept. */
export interface CliPlace {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MOST_LISTED = 1000;

/** Opens the store of this person's sessions. Whoever opens it closes it. */
export function openStore(
  { environment, home }: CliPlace,
  onFault: (error: Error) => void = () => {},
): SessionStore {
  // Shared, since there may be a dt in every terminal.
  return openSqliteStore({ file: dataPaths(environment, home).database, isShared: true, onFault });
}

/** Directory of a session's long outputs and checkpoints. */
export function sessionDirectory(contextId: string, { environment, home }: CliPlace): string {
  return path.join(dataPaths(environment, home).sessions, encodeURIComponent(contextId));
}

/** The sessions of a store that can be resumed, the last one first. */
export async function listStored(store: SessionStore): Promise<readonly ListedSession[]> {
  return await store.listSessions({ owner: "terminal", limit: MOST_LISTED });
}

/** The sessions that can be resumed, the last one first. */
export async function listSessions(place: CliPlace): Promise<readonly ListedSession[]> {
  const store = openStore(place);
  try {
    return await listStored(store);
  } finally {
    await store.close();
  }
}

/**
 * Forgets the session whose id begins so, with its outputs and checkpoints. Throws a SetupError if there
 * is none, or someone has it open.
 */
export async function deleteSession(
  id: string,
  place: CliPlace & { readonly workspacePath: string },
): Promise<ListedSession> {
  const store = openStore(place);
  try {
    const { workspacePath } = place;
    const chosen = chooseSession(await listStored(store), { id, workspacePath });
    const lease = await store.acquire(chosen.contextId);
    await store.deleteSession(chosen.contextId);
    await rm(sessionDirectory(chosen.contextId, place), { recursive: true, force: true });
    await lease.release();
    return chosen;
  } finally {
    await store.close();
  }
}
