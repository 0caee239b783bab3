import { readAuditLines } from "../audit/read-audit-lines.js";
import type { AuditRecord } from "../store/audit-store.js";
import { commitTo } from "./commit-to.js";
import { equal, first, rejects, type StorePromise } from "./store-checks.js";

const RECORD: AuditRecord = {
  id: "2026-01-01T00:01 a",
  kind: "refusal",
  user: "ada",
  name: "ada/laptop",
  address: "192.0.2.1",
  subject: "stream",
  detail: "forbidden",
  firstAt: "2026-01-01T00:01:10.000Z",
  lastAt: "2026-01-01T00:01:20.000Z",
  count: 2,
};
const LATER: AuditRecord = {
  id: "2026-01-01T00:02 b",
  kind: "sign-in",
  firstAt: "2026-01-01T00:02:00.000Z",
  lastAt: "2026-01-01T00:02:00.000Z",
  count: 1,
};
const LIMIT = { maxRecords: 10 };

/** The promises about the audit that every store must keep. */
export const auditContract: readonly StorePromise[] = [
  {
    name: "audit records are read as they were added, sorted by id, in pages",
    async check(store) {
      await store.addAudit([LATER, RECORD], LIMIT);
      equal(await store.readAudit({ since: "", limit: 9 }), [RECORD, LATER]);
      equal(await store.readAudit({ since: "", limit: 1 }), [RECORD]);
      equal(await store.readAudit({ since: "", after: RECORD.id, limit: 9 }), [LATER]);
      equal(await store.readAudit({ since: LATER.firstAt, limit: 9 }), [LATER]);
    },
  },
  {
    name: "an export sorts the audit records of one minute by time, even if they fill more than a page",
    async check(store) {
      // The order of the ids is the reverse of the order of the times.
      const records = Array.from({ length: 502 }, (_, index) => {
        const at = new Date(Date.UTC(2026, 0, 1, 0, 1) + index).toISOString();
        return { ...LATER, id: `2026-01-01T00:01 ${1_000 - index}`, firstAt: at, lastAt: at };
      });
      await store.addAudit([LATER, ...records], { maxRecords: 1_000 });
      const times: string[] = [];
      for await (const { at } of readAuditLines(store, "")) times.push(at);
      equal(times.length, records.length + 1);
      equal(
        times.find((at, index) => at < (times[index - 1] ?? "")),
        undefined,
      );
    },
  },
  {
    name: "adding an audit record again increases its count",
    async check(store) {
      const more = { ...RECORD, lastAt: "2026-01-01T00:01:59.000Z", count: 5 };
      await store.addAudit([RECORD], LIMIT);
      await store.addAudit([more], LIMIT);
      equal(await store.readAudit({ since: "", limit: 9 }), [
        { ...RECORD, lastAt: more.lastAt, count: 7 },
      ]);
    },
  },
  {
    name: "audit records with one id become one record, from the earliest to the latest time",
    async check(store) {
      const early = { ...RECORD, firstAt: "2026-01-01T00:01:01.000Z", lastAt: RECORD.firstAt };
      await store.addAudit([RECORD, early, { ...LATER, name: "x" }], LIMIT);
      equal(await store.readAudit({ since: "", limit: 9 }), [
        { ...RECORD, firstAt: early.firstAt, count: 4 },
        { ...LATER, name: "x" },
      ]);
      equal(await store.readAudit({ since: RECORD.lastAt, limit: 1 }), [
        { ...RECORD, firstAt: early.firstAt, count: 4 },
      ]);
    },
  },
  {
    name: "as many audit records as the limit stay, the latest ones",
    async check(store) {
      const middle = { ...LATER, id: "2026-01-01T00:01 b" };
      await store.addAudit([LATER, middle], { maxRecords: 2 });
      equal((await store.readAudit({ since: "", limit: 9 })).length, 2);
      await store.addAudit([RECORD], { maxRecords: 2 });
      equal(await store.readAudit({ since: "", limit: 9 }), [middle, LATER]);
    },
  },
  {
    name: "the oldest audit records are deleted if there are too many",
    async check(store) {
      await store.addAudit([RECORD], { maxRecords: 1 });
      await store.addAudit([LATER], { maxRecords: 1 });
      equal(await store.readAudit({ since: "", limit: 9 }), [LATER]);
    },
  },
  {
    name: "the sessions with events since a time are listed",
    async check(store) {
      await commitTo(store, [first([1])]);
      const { lastActiveAt = "" } = (await store.findSession("context")) ?? {};
      equal(await store.listActive(lastActiveAt), ["context"]);
      equal(await store.listActive("9999"), []);
    },
  },
  {
    name: "a closed store refuses to read and add audit records",
    async check(store) {
      await store.close();
      await rejects(store.addAudit([RECORD], LIMIT));
      await rejects(store.readAudit({ since: "", limit: 1 }));
    },
  },
];
