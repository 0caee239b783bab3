import type { AuditRecord } from "../store/audit-store.js";
import type { SessionStore } from "../store/session-store.js";
import type { AuditLine } from "./audit-line.js";
import { mergeByTime } from "./merge-by-time.js";
import { readSessionLines } from "./read-session-lines.js";

/** The parts of a store that an export reads. */
export type AuditedStore = Pick<
  SessionStore,
  "readAudit" | "listActive" | "findSession" | "readEvents"
>;

const PAGE_RECORDS = 500;

/**
 * Reads the audit since a time, oldest first: sign-ins, refusals, prompts, answers and shares, with their users.
 * Prompts and answers come from the logs of sessions. They are therefore missing for deleted sessions, and are in
 * the order of the log if the clock was set back.
 */
export async function* readAuditLines(
  store: AuditedStore,
  since: string,
): AsyncGenerator<AuditLine> {
  const sessions = await store.listActive(since);
  yield* mergeByTime([
    readRecordLines(store, since),
    ...sessions.map((contextId) => readSessionLines(store, contextId, since)),
  ]);
}

// The store sorts records by minute only. The records of one minute, which may fill many pages, are sorted here.
async function* readRecordLines(store: AuditedStore, since: string): AsyncGenerator<AuditLine> {
  let minute: AuditRecord[] = [];
  for await (const record of readRecords(store, since)) {
    const [earlier = record] = minute;
    if (toMinute(earlier) !== toMinute(record)) {
      yield* toSortedLines(minute);
      minute = [];
    }
    minute.push(record);
  }
  yield* toSortedLines(minute);
}

async function* readRecords(store: AuditedStore, since: string): AsyncGenerator<AuditRecord> {
  let after = "";
  for (;;) {
    const page = await store.readAudit({ since, after, limit: PAGE_RECORDS });
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.id;
  }
}

/** Returns the minute with which the id of a record begins, such as "2026-01-31T12:00". */
function toMinute({ id }: AuditRecord): string {
  return id.slice(0, 16);
}

function toSortedLines(records: readonly AuditRecord[]): readonly AuditLine[] {
  return records.map(toLine).sort((one, other) => (one.at < other.at ? -1 : 1));
}

function toLine({ id: _, firstAt, lastAt, count, kind, ...entry }: AuditRecord): AuditLine {
  return { at: firstAt, kind, ...entry, ...(count > 1 && { count, lastAt }) };
}
