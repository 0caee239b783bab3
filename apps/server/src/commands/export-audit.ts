import { readAuditLines } from "@dt/server";
import type { AuditArgs } from "../args.js";
import { openCommandStore, type StoreEnv } from "../open-server-store.js";

/** Options of {@link exportAudit}. */
export interface ExportAuditOptions {
  /** The database of the server, which may be running. */
  readonly env: StoreEnv;
  readonly now: Date;
}

/** Reads the audit as lines of JSON, oldest first. */
export async function* exportAudit(
  args: AuditArgs,
  { env, now }: ExportAuditOptions,
): AsyncGenerator<string> {
  const since = "since" in args ? args.since : new Date(now.getTime() - args.lastMs).toISOString();
  const store = await openCommandStore(env, { isShared: true });
  try {
    for await (const line of readAuditLines(store, since)) yield JSON.stringify(line);
  } finally {
    await store.close();
  }
}
