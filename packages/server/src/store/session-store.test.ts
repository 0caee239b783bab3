import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { storeContract } from "../testing/store-contract.js";
import { createGroupCommit } from "./group-commit.js";
import { openMemoryStore } from "./memory/open-memory-store.js";
import type { Commit, SessionStore } from "./session-store.js";
import { openSqliteStore } from "./sqlite/open-sqlite-store.js";

function openTempFile() {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-store-"));
  return {
    file: path.join(directory, "deep", "store.db"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const commit = (contextId: string): Commit => ({
  contextId,
  events: [],
  journal: [],
  isCritical: false,
});

for (const { name, check } of storeContract) {
  test(`memory: ${name} [SRV-14]`, async () => {
    await expect(check(openMemoryStore())).resolves.toBeUndefined();
  });

  test(`SQLite: ${name} [SRV-14, SRV-23]`, async () => {
    using temp = openTempFile();
    const store = openSqliteStore({ file: temp.file });

    await expect(check(store)).resolves.toBeUndefined();

    await store.close();
  });
}

test("SQLite keeps what was committed when it is opened again [SRV-14]", async () => {
  using temp = openTempFile();
  const before = openSqliteStore({ file: temp.file });
  await before.commit([
    {
      ...commit("context"),
      session: {
        contextId: "context",
        owner: "alice",
        settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
        createdAt: "",
      },
      journal: [{ type: "kept" }],
      isCritical: true,
    },
  ]);
  await before.close();

  const after = openSqliteStore({ file: temp.file });
  const journal = await after.readJournal("context");
  await after.close();

  expect(journal).toEqual([{ type: "kept" }]);
});

test("SQLite takes all of a group or nothing", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  const event = {
    seq: 1,
    event: {
      kind: "STATE_CHANGE" as const,
      taskId: "task",
      turn: 1,
      state: "working" as const,
      at: "",
    },
  };
  const session = {
    contextId: "context",
    owner: "alice",
    settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
    createdAt: "",
  };

  const group = store.commit([
    { ...commit("context"), session, events: [event] },
    { ...commit("context"), events: [event] },
  ]);

  await expect(group).rejects.toThrow();
  expect(await store.findSession("context")).toBeUndefined();
  await store.close();
});

test("a damaged file is reported and left as it is", () => {
  using temp = openTempFile();
  const file = path.join(path.dirname(path.dirname(temp.file)), "damaged.db");
  writeFileSync(file, "this is not a database, and it is long enough to be looked at. ".repeat(40));
  const before = readFileSync(file, "utf8");

  expect(() => openSqliteStore({ file })).toThrow(/damaged/);
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("a file of a newer dt is refused", async () => {
  using temp = openTempFile();
  const { default: Database } = await import("libsql");
  await openSqliteStore({ file: temp.file }).close();
  const database = new Database(temp.file);
  database.exec("PRAGMA user_version = 999");
  database.close();

  expect(() => openSqliteStore({ file: temp.file })).toThrow(/newer dt/);
});

test("appends of one moment are one commit, in order; a refused commit refuses them all", async () => {
  const groups: string[][] = [];
  const store: SessionStore = {
    ...openMemoryStore(),
    async commit(commits) {
      groups.push(commits.map(({ contextId }) => contextId));
      if (groups.length === 2) throw new Error("disk full");
    },
  };
  const commits = createGroupCommit(store);

  await Promise.all([commits.add(commit("a")), commits.add(commit("b"))]);
  const refused = Promise.allSettled([commits.add(commit("c")), commits.add(commit("d"))]);

  expect((await refused).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(groups).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});
