import { createHash } from "node:crypto";
import { type AuditEntry, type AuditRecord, joinAudit } from "../store/audit-store.js";

/** Entries that wait to be stored. */
export interface AuditBook {
  /**
   * Adds an entry. Equal sign-ins or refusals within one minute become one record with a count, so that a flood of them
   * needs no more space than one entry.
   */
  add(entry: AuditEntry, at: Date): void;
  /** Removes the records from the book and returns them. */
  take(): readonly AuditRecord[];
}

/**
 * Maximum number of records that wait to be stored. If so many wait, only the kind and the time of a new entry are
 * kept.
 */
const MAX_RECORDS = 1_000;

/**
 * Kinds of entries that are merged, because anybody can cause many of them. Each other entry has a record of its own.
 */
const MERGED_KINDS: ReadonlySet<AuditEntry["kind"]> = new Set(["sign-in", "refusal"]);

/** Maximum length of a text in an entry. Clients choose some of these texts. */
const MAX_LENGTH = 200;

/** Creates an empty book. */
export function createAuditBook(): AuditBook {
  let records = new Map<string, AuditRecord>();
  return {
    add(entry, at) {
      const record = toAuditRecord(entry, at);
      const hasRoom = records.has(record.id) || records.size < MAX_RECORDS;
      const added = hasRoom ? record : toAuditRecord({ kind: entry.kind, subject: "others" }, at);
      records.set(added.id, joinAudit(records.get(added.id), added));
    },
    take() {
      const taken = [...records.values()];
      records = new Map();
      return taken;
    },
  };
}

/** Creates the record of one entry. */
export function toAuditRecord(entry: AuditEntry, at: Date): AuditRecord {
  const time = at.toISOString();
  const short = Object.fromEntries(
    Object.entries(entry).flatMap(([name, text]) =>
      text === "" ? [] : [[name, text.slice(0, MAX_LENGTH)]],
    ),
  );
  const { kind, user, name, address, subject, detail }: Partial<AuditEntry> = short;
  const own = MERGED_KINDS.has(entry.kind) ? [] : [time];
  const key = JSON.stringify([kind, user, name, address, subject, detail, ...own]);
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return {
    ...short,
    kind: entry.kind,
    // The minute comes first, so that records are sorted by time.
    id: `${time.slice(0, 16)} ${digest}`,
    firstAt: time,
    lastAt: time,
    count: 1,
  };
}
