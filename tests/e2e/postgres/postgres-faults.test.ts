import type { Model } from "@dt/agent-core";
import type { Commit, Lease, SessionStore } from "@dt/server";
import { openPostgresStore } from "@dt/server/postgres";
import { openDatabase, startPostgres } from "@dt/tooling/postgres";
import { expect, test } from "vitest";
import { openCutProxy } from "../support/cut-proxy.js";
import { openStage } from "../support/open-stage.js";
import { createRandom } from "../support/random.js";
import { watchTask } from "../support/watch-task.js";

const COMMITS = 60;
const AT = "2026-01-01T00:00:00.000Z";

/** Creates a commit with one event and one journal record. Both contain the number of the commit. */
function commitOf(contextId: string, epoch: number, number: number): Commit {
  const event = {
    kind: "TEXT_CONTENT",
    text: `${number}`,
    taskId: contextId,
    turn: 1,
    state: "working",
    at: AT,
  } as const;
  const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
  return {
    contextId,
    epoch,
    number,
    expectedHead: number - 1,
    events: [{ position: number, epoch, event }],
    journal: [{ type: "record", number }],
    isCritical: number % 2 === 0,
    ...(number === 1 && { session: { contextId, owner: "ada", settings, createdAt: AT } }),
  };
}

/** Writes all commits of a session, one after the other; resolves with their outcomes. */
async function writeAll(
  store: SessionStore,
  { contextId, epoch }: Lease,
  onStored: () => void,
): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  for (let number = 1; number <= COMMITS; number += 1) {
    outcomes.push((await store.commit([commitOf(contextId, epoch, number)])).get(contextId));
    onStored();
  }
  return outcomes;
}

test("commits over a connection that breaks at random are stored once, and none is lost [LOG-01, LOG-07]", async () => {
  await using database = await openDatabase();
  await using proxy = await openCutProxy(database.url);
  const url = new URL(database.url);
  url.port = new URL(proxy.url).port;
  const store = await openPostgresStore({ url: url.href, leaseMs: 600_000 });
  const random = createRandom(7);
  const contextIds = ["a", "b", "c", "d"];
  const leases = await Promise.all(contextIds.map((id) => store.acquire(id)));

  // The connection breaks after every third stored commit, while the other sessions commit.
  let stored = 0;
  let cutting = Promise.resolve();
  const onStored = () => {
    stored += 1;
    if (stored % 3 > 0) return;
    cutting = cutting.then(async () => {
      for (let tick = random(50); tick > 0; tick -= 1) await new Promise(setImmediate);
      await proxy.cut();
      await proxy.restore();
    });
  };
  const outcomes = await Promise.all(leases.map((lease) => writeAll(store, lease, onStored)));
  await cutting;

  const numbers = Array.from({ length: COMMITS }, (_, index) => index + 1);
  expect(outcomes.flat()).toEqual(Array(COMMITS * contextIds.length).fill("stored"));
  expect(proxy.broken).toBeGreaterThan(5);
  for (const contextId of contextIds) {
    const events = await store.readEvents({ contextId, after: 0, limit: 999 });
    expect(events.map(({ event }) => (event as { text?: string }).text)).toEqual(
      numbers.map(String),
    );
    expect(await store.readJournal(contextId)).toEqual(
      numbers.map((number) => ({ type: "record", number })),
    );
  }
  await store.close();
});

/** Creates a model that says one word for each call of `say`. */
function createSpokenModel() {
  const words: string[] = [];
  let wake = () => {};
  const model: Model = {
    name: "spoken",
    async *stream() {
      for (;;) {
        const word = words.shift();
        if (word === "end") return;
        if (word !== undefined) yield { type: "text", text: word };
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
  return {
    model,
    say(word: string) {
      words.push(word);
      wake();
    },
  };
}

test("a restart of Postgres while a model sends text loses and repeats nothing [LOG-01, LOG-07]", async () => {
  await using postgres = await startPostgres();
  const { model, say } = createSpokenModel();
  const store = await openPostgresStore({ url: postgres.url, leaseMs: 600_000 });
  await using stage = await openStage({ model, server: { store } });
  const client = await stage.connect({ reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "speak" });
  const watched = watchTask(task);
  const textOf = () =>
    watched.seen.map((event) => (event.kind === "TEXT_CONTENT" ? event.text : "")).join("");
  say("one ");
  await watched.until(() => textOf().includes("one "));

  const stopped = postgres.stop();
  say("two ");
  await stopped;
  say("three ");
  await postgres.start();
  say("four");
  say("end");
  await watched.done;

  expect(textOf()).toBe("one two three four");
  expect(watched.seen.at(-1)?.state).toBe("completed");
  expect(new Set(watched.seen.map(({ cursor }) => cursor)).size).toBe(watched.seen.length);
});

test("a crash of Postgres in the middle of a text repeats nothing, and two instances agree on what is left [LOG-01, LOG-07, SRV-27]", async () => {
  await using postgres = await startPostgres();
  const { model, say } = createSpokenModel();
  const open = async () => await openPostgresStore({ url: postgres.url });
  await using stage = await openStage({ model, server: { store: await open() } });
  await using other = await openStage({ server: { store: await open() } });
  const client = await stage.connect({ reconnect: { baseMs: 20, maxMs: 100 } });
  const reader = await other.connect({ reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "speak" });
  const watched = watchTask(task);
  say("one ");
  await watched.until(({ kind }) => kind === "TEXT_CONTENT");
  const followed = watchTask(await reader.openTask(task.taskId));

  await postgres.crash();
  say("two ");
  await postgres.start();
  say("three");
  say("end");
  await Promise.all([watched.done, followed.done]);

  // Text of the last second may be lost. The turn then ends as interrupted, and clients load the task again.
  const [view, read] = await Promise.all(
    [client, reader].map(async (each) => (await each.openTask(task.taskId)).view()),
  );
  expect(["completed", "failed"]).toContain(view?.state);
  expect(read).toMatchObject({ state: view?.state, cursor: view?.cursor, items: view?.items });
  for (const { seen } of [watched, followed]) {
    const cursors = seen.map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(cursors.length);
  }
});
