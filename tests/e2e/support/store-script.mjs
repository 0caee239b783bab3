// Runs in a child process. Uses a SQLite store while reads of its file fail, or on a small disk that
// becomes full. Prints the result as one line of JSON.
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSqliteStore } from "@dt/server";
import { commitTo } from "@dt/server/testing";

const [scenario, file, flag] = process.argv.slice(2);
const text = "x".repeat(2_000);
const positions = new Map();
const acknowledged = [];

function toCommit(contextId) {
  const isNew = !positions.has(contextId);
  const position = (positions.get(contextId) ?? 0) + 1;
  const at = "2026-01-01T00:00:00.000Z";
  const settings = { workspacePath: "/work", allowedTools: [], mcpServers: {} };
  return {
    contextId,
    ...(isNew && { session: { contextId, owner: "alice", settings, createdAt: at } }),
    events: [
      {
        position,
        event: {
          kind: "TEXT_CONTENT",
          text,
          taskId: `t-${contextId}`,
          turn: 1,
          state: "working",
          at,
        },
      },
    ],
    journal: [],
    isCritical: position % 5 === 0,
  };
}

async function append(store, contextId) {
  const commit = toCommit(contextId);
  await commitTo(store, [commit]);
  const { position } = commit.events[0];
  positions.set(contextId, position);
  acknowledged.push([contextId, position]);
}

/** Counts the sessions that can be read, and collects the errors of the others. */
async function readAll(store) {
  let whole = 0;
  const errors = new Set();
  for (const [contextId, last] of positions) {
    try {
      const events = await store.readEvents({ contextId, after: 0, limit: 100_000 });
      if (events.length !== last || events.some(({ event }) => event.text !== text))
        throw new Error("wrong text");
      whole += 1;
    } catch (error) {
      errors.add(error.data?.store ?? error.message);
    }
  }
  return { whole, sessions: positions.size, errors: [...errors] };
}

async function attempt(work) {
  return await work().then(
    () => "ok",
    (error) => error.data?.store ?? error.message,
  );
}

/** Appends and reads events while reads of the store's file fail. Afterwards the store must be read-only. */
async function failReads() {
  const store = openSqliteStore({ file });
  for (let index = 0; index < 3_000; index += 1) await append(store, `c-${index % 20}`);
  writeFileSync(flag, "");
  const during = [];
  for (let index = 0; index < 200; index += 1) {
    during.push(await attempt(() => append(store, `c-${index % 20}`)));
    during.push(
      await attempt(() => store.readEvents({ contextId: `c-${index % 20}`, after: 0, limit: 50 })),
    );
  }
  rmSync(flag);
  const check = await attempt(() => store.check());
  const late = await attempt(() => append(store, "c-0"));
  const read = await readAll(store);
  return {
    failed: during.filter((outcome) => outcome !== "ok").length,
    kinds: [...new Set(during)],
    check,
    late,
    read,
  };
}

/** Fills a small disk, reads all sessions, frees space, and commits again. */
async function fillDisk() {
  const store = openSqliteStore({ file });
  await append(store, "c-0");
  const ballast = path.join(path.dirname(file), "ballast");
  const { bavail, bsize } = statfsSync(path.dirname(file));
  writeFileSync(ballast, Buffer.alloc(Math.floor((bavail * bsize) / 2)));
  const refused = [];
  for (let index = 0; refused.length < 20; index += 1) {
    const outcome = await attempt(() => append(store, `c-${index % 20}`));
    if (outcome !== "ok") refused.push(outcome);
  }
  const check = await attempt(() => store.check());
  const whileFull = await readAll(store);
  rmSync(ballast);
  const checkAfter = await attempt(() => store.check());
  for (let index = 0; index < 20; index += 1) await append(store, `c-${index}`);
  const afterwards = await readAll(store);
  return { refused: [...new Set(refused)], check, whileFull, checkAfter, afterwards };
}

const result = scenario === "fail-reads" ? await failReads() : await fillDisk();
// The script exits without closing the store, as a crashed process would.
console.log(JSON.stringify({ ...result, acknowledged }));
process.exit(0);
