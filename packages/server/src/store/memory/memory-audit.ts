import { type AuditRecord, type AuditStore, joinAudit } from "../audit-store.js";
import type { StoredSession } from "../session-store.js";

/** Creates the audit of a store that keeps its records in memory. `checkOpen` throws if the store is closed. */
export function createMemoryAudit(
  { sessions }: { readonly sessions: ReadonlyMap<string, Pick<StoredSession, "lastActiveAt">> },
  checkOpen: () => void,
  records = new Map<string, AuditRecord>(),
): AuditStore {
  const sorted = () => [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    async addAudit(added, { maxRecords }) {
      checkOpen();
      for (const record of added) records.set(record.id, joinAudit(records.get(record.id), record));
      const surplus = Math.max(0, records.size - maxRecords);
      for (const { id } of sorted().slice(0, surplus)) records.delete(id);
    },
    async readAudit({ since, after = "", limit }) {
      checkOpen();
      return sorted()
        .filter(({ id, lastAt }) => id > after && lastAt >= since)
        .slice(0, limit);
    },
    async listActive(since) {
      checkOpen();
      const active = [...sessions].filter(([, { lastActiveAt }]) => lastActiveAt >= since);
      return active.map(([contextId]) => contextId);
    },
  };
}
