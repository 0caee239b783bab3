import type { StampedEvent } from "@dt/schema";
import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { event } from "../../../testing/store-checks.js";
import { openPostgresStore } from "../open-postgres-store.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const ADA = { user: "ada", name: "laptop" };
const BOB = { user: "bob", name: "phone" };

let schemas = 0;

/** Opens the activity of several instances on the same tables. */
async function openInstances(count: number) {
  schemas += 1;
  const schema = `activity_${schemas}`;
  const stores = await Promise.all(
    Array.from({ length: count }, () =>
      openPostgresStore({ url: `${database.url}?schema=${schema}`, leaseMs: 600_000 }),
    ),
  );
  return {
    activities: stores.map(({ instances }) => {
      if (instances === undefined) throw new Error("the store has no instances");
      return instances.activity;
    }),
    /** Makes all stored clients older. */
    age: (interval: string) =>
      database.query(`UPDATE ${schema}.presence SET noted_at = noted_at - interval '${interval}'`),
    countClients: async () => (await database.query(`SELECT * FROM ${schema}.presence`)).length,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
    },
  };
}

const clients = (contextId: string, ...list: readonly (typeof ADA | null)[]) =>
  new Map([[contextId, list]]);

test("an instance gets the clients that a session has at other instances [SRV-27]", async () => {
  await using stage = await openInstances(3);
  const [one, other, third] = stage.activities;
  await one?.exchangeClients(clients("context", ADA, null));
  await third?.exchangeClients(clients("elsewhere", ADA));

  const found = await other?.exchangeClients(clients("context", BOB));
  await other?.exchangeClients(clients("context"));

  expect(found).toEqual([{ contextId: "context", clients: [ADA, null] }]);
  expect(await one?.exchangeClients(clients("context", ADA))).toEqual([
    { contextId: "context", clients: [] },
  ]);
});

test("clients that were noted more than five seconds ago are not counted, and are deleted later [SRV-27]", async () => {
  await using stage = await openInstances(2);
  const [one, other] = stage.activities;
  await one?.exchangeClients(clients("context", ADA));
  await stage.age("6 seconds");

  const found = await other?.exchangeClients(clients("context", BOB));
  const kept = await stage.countClients();
  await stage.age("2 minutes");
  await other?.exchangeClients(clients("context", BOB));

  expect([found, kept, await stage.countClients()]).toEqual([[], 2, 1]);
});

test("the only instance stores no clients [SRV-27]", async () => {
  await using stage = await openInstances(1);

  const found = await stage.activities[0]?.exchangeClients(clients("context", ADA));

  expect([found, await stage.countClients()]).toEqual([[], 0]);
});

test("live output is read by session, and its revision changes with each output until it is removed [SRV-27]", async () => {
  await using stage = await openInstances(2);
  const [one, other] = stage.activities;
  const output = (contextId: string, toolCallId: string, text: string) => ({
    contextId,
    toolCallId,
    event: { ...event(1), text } as StampedEvent,
  });
  await one?.publishLive([output("a", "call", "1"), output("b", "call", "2")]);
  await one?.publishLive([output("a", "next", "3")]);

  const before = (await other?.readLive(["a", "nope"])) ?? [];
  await one?.publishLive([output("a", "call", "4")]);
  const after = (await other?.readLive(["a"])) ?? [];
  await one?.removeLive("a");

  const bare = (list: typeof before) =>
    list
      .map(({ revision: _, ...rest }) => rest)
      .sort((left, right) => (left.toolCallId < right.toolCallId ? -1 : 1));
  const revisionIn = (list: typeof before) =>
    list.find(({ toolCallId }) => toolCallId === "call")?.revision ?? 0;
  expect(bare(before)).toEqual([output("a", "call", "1"), output("a", "next", "3")]);
  expect(bare(after)).toEqual([output("a", "call", "4"), output("a", "next", "3")]);
  expect(revisionIn(after)).toBe(revisionIn(before) + 1);
  expect(await other?.readLive(["a", "b"])).toMatchObject([output("b", "call", "2")]);
});
