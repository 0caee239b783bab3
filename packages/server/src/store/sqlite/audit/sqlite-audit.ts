import { type AuditRecord, type AuditStore, decodeAuditRow, joinAudit } from "../../audit-store.js";
import { type ColumnValue, checksumOf, withChecksum } from "../checksum.js";
import type { Integrity } from "../integrity/integrity.js";
import { type Row, replaceNul } from "../rows.js";
import type { Statements } from "../statements.js";

const TABLE = "audit";

/** Options of {@link createSqliteAudit}. */
export interface SqliteAuditOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "read" | "write">;
  /** Runs work as one transaction. */
  transact(work: () => void): void;
}

/** Creates the audit of a SQLite store. */
export function createSqliteAudit(options: SqliteAuditOptions): AuditStore {
  const { checkOpen, statements, integrity, transact } = options;

  function add(record: AuditRecord): void {
    const [stored] = [statements.findAudit.get(record.id) ?? []].flat().flatMap(toIntactRecord);
    statements.writeAudit.run(...withChecksum(TABLE, columnsOf(joinAudit(stored, record))));
  }

  function deleteSurplus(maxRecords: number): void {
    const { count } = statements.countAudit.get() as { count: number };
    if (count > maxRecords) statements.deleteOldestAudit.run(count - maxRecords);
  }

  return {
    async addAudit(records, { maxRecords }) {
      checkOpen();
      integrity.write(() =>
        transact(() => {
          for (const record of records) add(record);
          deleteSurplus(maxRecords);
        }),
      );
    },
    async readAudit({ since, after = "", limit }) {
      checkOpen();
      const rows = integrity.read(() => statements.readAudit.all(after, since, limit) as Row[]);
      return rows.map(decodeAuditRow);
    },
    async listActive(since) {
      checkOpen();
      const rows = integrity.read(() => statements.listActive.all(since) as Row[]);
      return rows.map(({ context_id: id }) => String(id));
    },
  };
}

function columnsOf(record: AuditRecord): readonly ColumnValue[] {
  const { id, kind, user = "", name = "", address = "", subject = "", detail = "" } = record;
  const texts = [user, name, address, subject, detail].map(replaceNul);
  return [id, kind, ...texts, record.firstAt, record.lastAt, record.count];
}

// Returns nothing for a damaged row, so `add` replaces the row. Reads still return damaged rows, because a damaged
// record is better than none.
function toIntactRecord(row: unknown): readonly AuditRecord[] {
  const record = decodeAuditRow(row as Row);
  return (row as Row).checksum === checksumOf(TABLE, columnsOf(record)) ? [record] : [];
}
