import { openSqliteStore, type SessionStore } from "@dt/server";
import type { Env } from "./env.js";

/** Opens the store of a server. Postgres is loaded only if it is used. */
export async function openServerStore(
  { storeUrl: url, databaseFile: file, instanceFile, leaseMs, pool }: Env,
  onFault: (fault: Error) => void,
): Promise<SessionStore> {
  if (url === undefined) return openSqliteStore({ file, onFault });
  const { openPostgresStore } = await import("@dt/server/postgres");
  return await openPostgresStore({
    url,
    instanceFile,
    leaseMs,
    onFault,
    ...(pool !== undefined && { pool }),
  });
}

/** Opens the store for a command that manages users. `isShared` is true if a server may run meanwhile. */
export async function openUserStore(
  { storeUrl: url, databaseFile: file }: Pick<Env, "storeUrl" | "databaseFile">,
  { isShared }: { readonly isShared: boolean },
): Promise<SessionStore> {
  if (url === undefined) return openSqliteStore({ file, isShared });
  const { openPostgresStore } = await import("@dt/server/postgres");
  return await openPostgresStore({ url, servesSessions: false });
}
