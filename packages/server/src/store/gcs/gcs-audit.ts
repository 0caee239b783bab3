import { randomUUID } from "node:crypto";
import { type AuditQuery, type AuditRecord, joinAudit } from "../audit-store.js";
import type { ObjectBucket } from "./bucket/object-bucket.js";
import { encodeId } from "./bucket/object-names.js";
import { runLimited } from "./bucket/run-limited.js";

/** Folder of the few records that commands add while a server owns the bucket. */
const FOLDER = "audit/";

/**
 * Adds records without owning the bucket. If the folder has more than `maxRecords` objects, the oldest ones are
 * deleted.
 */
export async function addOutside(
  bucket: ObjectBucket,
  records: readonly AuditRecord[],
  { maxRecords }: { readonly maxRecords: number },
): Promise<void> {
  await runLimited(records, (record) =>
    bucket.write(
      `${FOLDER}${encodeId(record.id)}-${randomUUID()}.json`,
      JSON.stringify(record),
      "application/json",
    ),
  );
  // Names begin with the time of their record, so the oldest ones come first.
  const names = await bucket.list(FOLDER);
  const surplus = names.slice(0, Math.max(0, names.length - maxRecords));
  await runLimited(surplus, (name) => bucket.delete(name));
}

/** Reads a page of records from the index and from the folder of the commands. */
export async function readAllAudit(
  bucket: ObjectBucket,
  indexed: readonly AuditRecord[],
  { since, after = "", limit }: AuditQuery,
): Promise<readonly AuditRecord[]> {
  const names = await bucket.list(FOLDER);
  const bodies = await runLimited(names, (name) => bucket.read(name));
  const records = new Map(indexed.map((record) => [record.id, record]));
  for (const body of bodies) {
    if (body === undefined) continue;
    const record = JSON.parse(body.toString()) as AuditRecord;
    records.set(record.id, joinAudit(records.get(record.id), record));
  }
  return [...records.values()]
    .filter(({ id, lastAt }) => id > after && lastAt >= since)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit);
}
