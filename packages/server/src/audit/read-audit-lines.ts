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
 * Reads who was let in, refused, prompted, answered and shared since a time, oldest first. Prompts and answers
 * come from the logs of sessions, so those of deleted sessions are missing.
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

async function* readRecordLines(store: AuditedStore, since: string): AsyncGenerator<AuditLine> {
  let after = "";
  for (;;) {
    const page = await store.readAudit({ since, after, limit: PAGE_RECORDS });
    const last = page.at(-1);
    if (last === undefined) return;
    // The store sorts records only by minute, so each page is sorted here.
    yield* page.map(toLine).sort((one, other) => (one.at < other.at ? -1 : 1));
    after = last.id;
  }
}

function toLine({ id: _, firstAt, lastAt, count, kind, ...entry }: AuditRecord): AuditLine {
  return { at: firstAt, kind, ...entry, ...(count > 1 && { count, lastAt }) };
}
