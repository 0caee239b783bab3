import {
  type BackupStore,
  openSqliteBackup,
  openSqliteStore,
  type SessionStore,
  SetupError,
} from "@dt/server";
import type { Env } from "./env.js";

/** The part of the environment that says where sessions are stored. */
export type StoreEnv = Pick<Env, "storeUrl" | "bucket" | "databaseFile">;

/** Opens the store of a server. The libraries of Postgres and of Google are loaded only if they are used. */
export async function openServerStore(
  { storeUrl: url, bucket, databaseFile: file, instanceFile, leaseMs, pool }: Env,
  onFault: (fault: Error) => void,
): Promise<SessionStore> {
  if (bucket !== undefined) {
    const { openGcsStore } = await import("@dt/server/gcs");
    return await openGcsStore({ ...bucket, onFault });
  }
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

/** Opens the store for a command of the operator. `isShared` is true if a server may run at the same time. */
export async function openCommandStore(
  { storeUrl: url, bucket, databaseFile: file }: StoreEnv,
  { isShared }: { readonly isShared: boolean },
): Promise<SessionStore> {
  if (bucket !== undefined) {
    const { openGcsStore } = await import("@dt/server/gcs");
    return await openGcsStore({ ...bucket, use: isShared ? "shared" : "alone" });
  }
  if (url === undefined) return openSqliteStore({ file, isShared });
  const { openPostgresStore } = await import("@dt/server/postgres");
  return await openPostgresStore({ url, servesSessions: false });
}

/** Opens the store for a backup or a restore. */
export async function openBackupStore({
  storeUrl: url,
  bucket,
  databaseFile: file,
}: StoreEnv): Promise<BackupStore> {
  if (bucket !== undefined) {
    throw new SetupError(
      "backup and restore are for SQLite and Postgres; copy the bucket with gcloud storage cp --recursive",
    );
  }
  if (url === undefined) return openSqliteBackup({ file });
  const { openPostgresBackup } = await import("@dt/server/postgres");
  return await openPostgresBackup({ url });
}
