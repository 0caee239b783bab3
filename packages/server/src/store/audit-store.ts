/** The kinds of events that are audited. */
export type AuditKind =
  | "sign-in"
  | "refusal"
  | "token-created"
  | "token-revoked"
  | "sessions-given"
  | "share-created"
  | "share-joined"
  | "share-revoked";

/** One entry of the audit. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** The user who caused the entry; absent if nobody was authenticated. */
  readonly user?: string;
  /** Name to show for the user. */
  readonly name?: string;
  /** Address of the client; absent for commands of the operator. */
  readonly address?: string;
  /** The token or session that was affected, or the operation that was refused. */
  readonly subject?: string;
  /** Details: the role of a token, the grant of a share, or the reason of a refusal. */
  readonly detail?: string;
}

/** An entry in the store, with the number of equal entries within one minute. */
export interface AuditRecord extends AuditEntry {
  /** Minute and digest of the entry. Records are sorted by their ids. */
  readonly id: string;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly count: number;
}

/** A query for a page of records. */
export interface AuditQuery {
  /** Only records whose `lastAt` is this time (ISO 8601) or later. */
  readonly since: string;
  /** Id of the last record of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** Stores the audit. Several processes may use it at the same time. */
export interface AuditStore {
  /**
   * Adds records. If a record with the same id is stored, the two are joined. If there are more than `maxRecords`
   * records, the oldest ones are deleted.
   */
  addAudit(records: readonly AuditRecord[], limit: { readonly maxRecords: number }): Promise<void>;
  /** Reads a page of records, sorted by id. */
  readAudit(query: AuditQuery): Promise<readonly AuditRecord[]>;
  /** Lists the sessions that were created or got an event at this time (ISO 8601) or later. */
  listActive(since: string): Promise<readonly string[]>;
}

/** Decodes a row of a table. A column with an empty string is absent in the record. */
export function decodeAuditRow(row: Readonly<Record<string, unknown>>): AuditRecord {
  return {
    id: String(row.id),
    kind: String(row.kind) as AuditKind,
    ...(row.user !== "" && { user: String(row.user) }),
    ...(row.name !== "" && { name: String(row.name) }),
    ...(row.address !== "" && { address: String(row.address) }),
    ...(row.subject !== "" && { subject: String(row.subject) }),
    ...(row.detail !== "" && { detail: String(row.detail) }),
    firstAt: String(row.first_at),
    lastAt: String(row.last_at),
    count: Number(row.count),
  };
}

/** Joins a record with the stored record of the same id. Every driver uses this. */
export function joinAudit(stored: AuditRecord | undefined, added: AuditRecord): AuditRecord {
  if (stored === undefined) return added;
  const times = [stored.firstAt, stored.lastAt, added.firstAt, added.lastAt].sort();
  const [firstAt = "", lastAt = ""] = [times.at(0), times.at(-1)];
  return { ...stored, firstAt, lastAt, count: stored.count + added.count };
}
