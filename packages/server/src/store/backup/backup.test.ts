import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { openDatabase } from "@dt/tooling/postgres";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitTo } from "../../testing/commit-to.js";
import { event, first, next, STARTED_AT, session, taskAt } from "../../testing/store-checks.js";
import { openPostgresBackup } from "../postgres/backup/open-postgres-backup.js";
import { POSTGRES_COLUMNS } from "../postgres/backup/postgres-backup-columns.js";
import { openPostgresStore } from "../postgres/open-postgres-store.js";
import type { SessionStore } from "../session-store.js";
import { openSqliteBackup } from "../sqlite/backup/open-sqlite-backup.js";
import { SQLITE_COLUMNS } from "../sqlite/backup/sqlite-backup-columns.js";
import { openSqliteStore } from "../sqlite/open-sqlite-store.js";
import { decodeBackup, encodeBackup } from "./backup-codec.js";
import type { BackupRow, BackupStore } from "./backup-tables.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
let directory: string;
beforeAll(async () => {
  database = await openDatabase();
  directory = await mkdtemp(path.join(tmpdir(), "dt-backup-"));
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

let stores = 0;

/** Creates the address of an empty store. */
function newPlace(kind: "SQLite" | "Postgres") {
  stores += 1;
  const file = path.join(directory, `${stores}.db`);
  const url = `${database.url}?schema=backup_${stores}`;
  return kind === "SQLite"
    ? {
        openStore: async () => openSqliteStore({ file }),
        openBackup: async () => openSqliteBackup({ file }),
      }
    : {
        openStore: () => openPostgresStore({ url }),
        openBackup: () => openPostgresBackup({ url }),
      };
}

type Place = ReturnType<typeof newPlace>;

const LATER = "2026-01-02T00:00:00.000Z";

/** Stores at least one row of each table. */
async function fill(store: SessionStore): Promise<void> {
  const receipt = {
    user: "alice",
    messageId: "message é",
    contextId: "context",
    taskId: "task",
    turn: 1,
    afterPosition: 0,
    digest: "abc",
  };
  const text = '\u0000 \ud800 \u2028 \\u0041 é "\\\n","deadbeef"]';
  const odd = { position: 2, event: { ...event(2), kind: "TEXT_CONTENT" as const, text } };
  const { digest: _, ...undigested } = { ...receipt, messageId: "older" };
  await commitTo(store, [
    {
      ...first([1]),
      journal: [{ type: "a" }, { type: "b", deep: [1, null] }],
      receipt,
      dialect: { taskId: "task", name: "guide" },
    },
    { ...next([]), events: [odd], receipt: undigested },
    taskAt(3, { state: "input-required" }),
  ]);
  await store.savePush(
    {
      taskId: "task",
      configId: "a",
      contextId: "context",
      revision: "1",
      target: {
        url: "https://example.com/",
        version: "1.0",
        developmentTool: true,
        session: false,
        allEvents: false,
      },
      progress: { after: 1, isTaskDue: true, attempts: 2, failures: 1, hasGivenUp: false },
    },
    { maxPerTask: 3 },
  );
  const grant = {
    contextId: "context",
    user: "bob",
    role: "observe",
    digest: "",
    linkId: "",
    createdAt: session.createdAt,
    expiresAt: LATER,
  } as const;
  await store.createGrant({ ...grant, id: "g-1" }, { maxPerSession: 9 });
  await store.createGrant({ ...grant, id: "g-2", user: "carol" }, { maxPerSession: 9 });
  await store.revokeGrant({ contextId: "context", id: "g-2" }, STARTED_AT);
  const token = {
    id: "t-1",
    user: "ada",
    name: "laptop",
    role: "admin",
    digest: "d",
    createdAt: session.createdAt,
  } as const;
  await store.createToken({ ...token, tier: "gold", expiresAt: LATER });
  await store.createToken({ ...token, id: "t-2", name: "phone" });
  await store.revokeToken({ user: "ada", name: "phone" }, STARTED_AT);
  await store.reserveBudget({
    id: "r-1",
    accounts: [{ account: "day 2026-01-01 alice", tokens: 1_000 }],
    input: { tokens: 100, nanos: 50 },
    leastOutput: 10,
    mostOutput: 300,
    outputNanos: 2,
    at: STARTED_AT,
  });
  const audit = { kind: "refusal", firstAt: STARTED_AT, lastAt: STARTED_AT, count: 2 } as const;
  await store.addAudit([{ ...audit, id: "m a", user: "ada" }], { maxRecords: 9 });
}

/** Reads a store with the methods that a server uses. */
async function readBack(store: SessionStore): Promise<unknown> {
  const { epoch: _, ...found } = (await store.findSession("context")) ?? {};
  return {
    found,
    events: await store.readEvents({ contextId: "context", after: 0, limit: 99 }),
    journal: await store.readJournal("context"),
    tasks: await store.listTasks({ owner: "alice", limit: 9 }),
    receipts: [
      await store.findReceipt("alice", "message é"),
      await store.findReceipt("alice", "older"),
    ],
    pushes: await store.listPushes("task"),
    grants: [await store.findGrant("g-1"), await store.findGrant("g-2")],
    tokens: await store.listTokens(),
    budgets: await store.readBudgets(["day 2026-01-01 alice"]),
    audit: await store.readAudit({ since: "", limit: 9 }),
  };
}

async function useStore<TResult>(
  place: Place,
  work: (store: SessionStore) => Promise<TResult>,
): Promise<TResult> {
  const store = await place.openStore();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function useBackup<TResult>(
  place: Place,
  work: (backup: BackupStore) => Promise<TResult>,
): Promise<TResult> {
  const backup = await place.openBackup();
  try {
    return await work(backup);
  } finally {
    await backup.close();
  }
}

async function collect<TItem>(items: AsyncIterable<TItem>): Promise<TItem[]> {
  const all: TItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const linesOf = (place: Place) =>
  useBackup(place, (backup) => collect(encodeBackup(backup.read(), STARTED_AT)));

async function* decode(lines: readonly string[]): AsyncGenerator<BackupRow> {
  yield* decodeBackup(
    (async function* () {
      for (const line of lines) yield line.slice(0, -1);
    })(),
    "store.backup",
  );
}

const restore = (place: Place, lines: readonly string[], replaces = false) =>
  useBackup(place, (backup) => backup.restore(decode(lines), { replaces }));

/** Returns rows without the epochs of sessions, which a restore raises. */
async function rowsIn(lines: readonly string[]): Promise<readonly unknown[]> {
  const rows = await collect(decode(lines));
  return rows.map(({ table, values }) => [
    table,
    table === "sessions" ? values.with(8, 0) : values,
  ]);
}

test.each([
  ["SQLite", "SQLite"],
  ["SQLite", "Postgres"],
  ["Postgres", "SQLite"],
  ["Postgres", "Postgres"],
] as const)("a backup of %s is restored unchanged into %s [OPS-01]", async (from, to) => {
  const [source, target] = [newPlace(from), newPlace(to)];
  await useStore(source, fill);
  const lines = await linesOf(source);

  await restore(target, lines);

  expect(await rowsIn(await linesOf(target))).toEqual(await rowsIn(lines));
  const before = await useStore(source, readBack);
  expect(await useStore(target, readBack)).toEqual(before);
  const epoch = await useStore(target, async (store) => (await store.acquire("context")).epoch);
  expect(epoch).toBeGreaterThan(1_000);
});

test.each(["SQLite", "Postgres"] as const)(
  "a backup of %s has the state of one moment, even if the store is written meanwhile [OPS-01]",
  async (kind) => {
    const place = newPlace(kind);
    const store = await place.openStore();
    await commitTo(store, [first([1, 2])]);

    const rows = await useBackup(place, async (backup) => {
      const reading = backup.read();
      const { value } = await reading.next();
      await commitTo(store, [next([3]), taskAt(1)]);
      return [value as BackupRow, ...(await collect(reading))];
    });
    await store.close();

    const count = (table: string) => rows.filter((row) => row.table === table).length;
    expect([count("sessions"), count("events"), count("tasks")]).toEqual([1, 2, 1]);
  },
);

test.each(["SQLite", "Postgres"] as const)(
  "a restore into %s that is not empty is refused, unless it replaces everything [OPS-01]",
  async (kind) => {
    const [source, target] = [newPlace("SQLite"), newPlace(kind)];
    await useStore(source, fill);
    await useStore(target, (store) => commitTo(store, [taskAt(7)]));
    const lines = await linesOf(source);

    await expect(restore(target, lines)).rejects.toThrow(/is not empty; --replace deletes/);
    expect(await useStore(target, (store) => store.findTask("task-7"))).toBeDefined();
    await restore(target, lines, true);

    expect(await rowsIn(await linesOf(target))).toEqual(await rowsIn(lines));
  },
);

test.each(["SQLite", "Postgres"] as const)(
  "the error of a damaged backup names the line, and %s stays empty [OPS-01]",
  async (kind) => {
    const [source, target] = [newPlace("SQLite"), newPlace(kind)];
    await useStore(source, fill);
    const lines = await linesOf(source);
    const changed = lines.with(4, (lines[4] ?? "").replace("text", "test"));
    const missing = lines.toSpliced(5, 1);

    await expect(restore(target, changed)).rejects.toThrow("store.backup is damaged in line 5;");
    await expect(restore(target, missing)).rejects.toThrow("store.backup is damaged in line 6;");
    await expect(restore(target, lines.slice(0, -1))).rejects.toThrow(
      `store.backup is incomplete: it ends after line ${lines.length - 1};`,
    );
    await expect(restore(target, [])).rejects.toThrow("store.backup is empty");
    await expect(restore(target, ["{}\n"])).rejects.toThrow("store.backup is damaged in line 1;");

    expect(await linesOf(target)).toHaveLength(2);
  },
);

test("a restore is refused while a server uses the store [OPS-01]", async () => {
  const empty = await linesOf(await openOnce(newPlace("SQLite")));
  for (const kind of ["SQLite", "Postgres"] as const) {
    const place = newPlace(kind);
    const store = await place.openStore();

    await expect(restore(place, empty)).rejects.toThrow(/in use|already/);

    await store.close();
  }
});

async function openOnce(place: Place): Promise<Place> {
  await useStore(place, async () => {});
  return place;
}

test("a backup has every column of the tables, so that no new column is forgotten [OPS-01]", async () => {
  const place = newPlace("SQLite");
  await useStore(place, async () => {});
  const sqlite = new DatabaseSync(path.join(directory, `${stores}.db`));
  const columns = sqlite
    .prepare(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table'`,
    )
    .all() as { readonly name: string }[];
  sqlite.close();
  await useStore(newPlace("Postgres"), async () => {});
  // Unlogged tables lose their rows when the database crashes, so backups leave these tables out.
  const rows = await database.query(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_class AS c
     JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'backup_${stores}'::regnamespace AND c.relkind = 'r'
       AND c.relpersistence = 'p'`,
  );

  const names = (of: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(of).flatMap(([table, columns]) => columns.map((each) => `${table}.${each}`));
  const leftOut = /^(views|inbox|instances|dt_version)\.|\.(checksum|holder|pool|claimed_\w+)$/;
  const derived = ["sessions.workspace_path", "events.kind"];
  const found = (all: readonly { readonly name?: unknown }[]) =>
    all.map(({ name }) => String(name)).filter((name) => !leftOut.test(name));
  expect(found(columns).sort()).toEqual(names(SQLITE_COLUMNS).sort());
  expect(found(rows).sort()).toEqual([...names(POSTGRES_COLUMNS), ...derived].sort());
});

test("a line after the end of a backup, an empty file and a file of a newer dt are refused [OPS-01]", async () => {
  const place = newPlace("SQLite");
  await useStore(place, fill);
  const lines = await linesOf(place);
  const seal = (json: string, sum: number) => {
    const checksum = (crc32(json, sum) >>> 0).toString(16).padStart(8, "0");
    return `${json.slice(0, -1)},"checksum":"${checksum}"}\n`;
  };
  const [, last = ""] = /"checksum":"([0-9a-f]{8})"/.exec(lines.at(-1) ?? "") ?? [];
  const header = (fields: object) => seal(JSON.stringify(fields), 0);

  const more = seal('{"end":true}', Number.parseInt(last, 16));
  await expect(collect(decode([...lines, more]))).rejects.toThrow(
    `is damaged in line ${lines.length + 1};`,
  );
  await expect(collect(decode([]))).rejects.toThrow("is empty; it is no backup of dt");
  await expect(
    collect(decode([header({ format: "dt-backup", version: 2, createdAt: "", tables: {} })])),
  ).rejects.toThrow("was written by a newer dt; restore it with that version");
  for (const fields of [
    { format: "other", version: 1, tables: {} },
    { format: "dt-backup", tables: {} },
    { format: "dt-backup", version: 1 },
  ])
    await expect(collect(decode([header(fields)]))).rejects.toThrow(/is no backup of dt$/);
});

test("the backup of a SQLite file that is missing, or has a damaged row, is refused [OPS-01]", async () => {
  const file = path.join(directory, "damaged.db");
  const read = () => collect(openSqliteBackup({ file }).read());
  await expect(read()).rejects.toThrow(`there is no database ${file}; check DT_DATA_DIR`);
  const store = openSqliteStore({ file });
  await commitTo(store, [first([1])]);
  await store.close();
  const changed = new DatabaseSync(file);
  changed.exec("UPDATE sessions SET owner = 'bob'");
  changed.close();

  await expect(read()).rejects.toThrow(
    "the row context of the table sessions is damaged; delete its session, or restore an earlier backup",
  );
});

test("the columns of a backup keep their names, because later releases read earlier backups [OPS-01]", async () => {
  const place = newPlace("SQLite");
  await useStore(place, fill);
  const [header = ""] = await linesOf(place);

  const { tables } = JSON.parse(header) as { tables: Record<string, readonly string[]> };

  expect(
    Object.fromEntries(Object.entries(tables).map(([name, columns]) => [name, columns.join(" ")])),
  ).toEqual({
    sessions:
      "contextId owner settings createdAt lastPosition lastActiveAt lastPrompt lastNumber epoch commitNumber",
    events: "contextId position taskId event epoch",
    journal: "contextId number record",
    tasks: "taskId contextId owner state lastPosition firstPosition updatedAt epoch dialect",
    receipts: "user messageId contextId taskId turn afterPosition digest",
    pushes:
      "taskId configId contextId revision target after isTaskDue attempts failures nextAttemptAt lastError hasGivenUp",
    grants: "id contextId user role digest linkId createdAt expiresAt revokedAt",
    tokens: "id user name role tier digest createdAt expiresAt revokedAt lastUsedAt",
    budgets: "account tokens nanos",
    reservations: "id accounts tokens nanos createdAt",
    audit: "id kind user name address subject detail firstAt lastAt count",
  });
});
