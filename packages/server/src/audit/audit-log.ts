import type { Caller } from "@dt/schema";
import type { Clock } from "../clock.js";
import type { AuditEntry, AuditStore } from "../store/audit-store.js";
import { createAuditBook, toAuditRecord } from "./audit-book.js";

/** Stores who was let in, who was refused, and what users shared. */
export interface AuditLog {
  /** Adds an entry, which is stored within about a second. */
  record(entry: AuditEntry): void;
  /** Adds an entry for a caller who was let in, at most once an hour for each credential and address. */
  recordSignIn(caller: Caller, address: string | undefined): void;
  /** Stores the entries that are not stored yet. Must be called before the store is closed. */
  close(): Promise<void>;
}

/** Options of {@link createAuditLog}. */
export interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Clock;
  onFault(reason: unknown): void;
}

/** Maximum number of records in the store. */
const MAX_AUDIT_RECORDS = 100_000;

/** Stores one entry at once, for programs that have no audit log. */
export async function recordAudit(store: AuditStore, entry: AuditEntry, now: Date): Promise<void> {
  await store.addAudit([toAuditRecord(entry, now)], { maxRecords: MAX_AUDIT_RECORDS });
}

const FLUSH_MS = 1_000;
const SIGN_IN_MS = 60 * 60_000;
/** Maximum number of sign-ins that are remembered. A sign-in that was forgotten is recorded again. */
const MAX_SIGN_INS = 10_000;

/** Creates an audit log. */
export function createAuditLog({ store, clock, onFault }: AuditLogOptions): AuditLog {
  const book = createAuditBook();
  const signIns = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let flushing = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const records = book.take();
    if (records.length === 0) return flushing;
    const limit = { maxRecords: MAX_AUDIT_RECORDS };
    flushing = flushing.then(() => store.addAudit(records, limit)).catch(onFault);
    return flushing;
  }

  function record(entry: AuditEntry): void {
    book.add(entry, clock.now());
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  }

  return {
    record,
    recordSignIn({ user, name, credential }, address = "") {
      const key = JSON.stringify([user, credential, address]);
      const now = clock.elapsedMs();
      const before = signIns.get(key);
      if (before !== undefined && now - before < SIGN_IN_MS) return;
      signIns.delete(key);
      signIns.set(key, now);
      const [oldest] = signIns.keys();
      if (signIns.size > MAX_SIGN_INS && oldest !== undefined) signIns.delete(oldest);
      record({ kind: "sign-in", user, name, address });
    },
    close: flush,
  };
}
