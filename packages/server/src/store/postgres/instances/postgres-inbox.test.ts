import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitTo } from "../../../testing/commit-to.js";
import { first } from "../../../testing/store-checks.js";
import type { Inbox, InboxRequest } from "../../instances/instance-store.js";
import type { SessionStore } from "../../session-store.js";
import { type Database, openConnections } from "../database/open-connections.js";
import { openPostgresStore } from "../open-postgres-store.js";
import { createPostgresInbox } from "./postgres-inbox.js";
import { openWakeUps } from "./wake-ups.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: SessionStore;
let other: SessionStore;
let elsewhere: SessionStore;
const url = () => `${database.url}?schema=shared`;

// All tests share three instances: two in one pool, of which the first holds the session, and one in another
// pool.
beforeAll(async () => {
  database = await openDatabase();
  const options = { url: url(), leaseMs: 600_000, pool: "here", notifies: false };
  owner = await openPostgresStore(options);
  other = await openPostgresStore(options);
  elsewhere = await openPostgresStore({ ...options, pool: "elsewhere" });
  await commitTo(owner, [first([1])]);
});
afterAll(async () => {
  await Promise.all([owner, other, elsewhere].map((store) => store.close()));
  await database[Symbol.asyncDispose]();
});

const CALLER = { user: "ada", name: "ada/laptop", credential: "token:1", role: "admin" } as const;
const REPLY = { type: "refused", code: "agent-busy", message: "later" } as const;

function promptOf(messageId: string, digest = "d"): InboxRequest {
  const request = { type: "prompt", messageId, taskId: "task", parts: [], digest } as const;
  return { contextId: "context", request, caller: CALLER };
}
const cancel = {
  contextId: "context",
  request: { type: "cancel", taskId: "task" },
  caller: CALLER,
} as unknown as InboxRequest;

function inboxOf({ instances }: SessionStore): Inbox {
  if (instances === undefined) throw new Error("the store is not shared");
  return instances.inbox;
}

test("only the holder of a session claims its requests, and the sender gets the replies [SRV-27]", async () => {
  const [mine, theirs] = [inboxOf(owner), inboxOf(other)];
  const request = promptOf("m1");
  const id = await theirs.add(request);
  const states: unknown[] = [await theirs.readState(id)];

  expect(await theirs.claim()).toEqual([]);
  expect(await mine.claim()).toEqual([{ ...request, id }]);
  expect(await mine.claim()).toEqual([]);
  states.push(await theirs.readState(id));
  expect(await theirs.withdraw(id)).toBe(false);
  await mine.answer(id, REPLY);
  await mine.answer(id, { ...REPLY, message: "too late" });
  states.push(await theirs.readState(id));
  expect(await theirs.withdraw(id)).toBe(false);
  await theirs.remove(id);
  states.push(await theirs.readState(id));

  expect(states).toEqual([
    { type: "waiting" },
    { type: "claimed" },
    { type: "answered", reply: REPLY },
    { type: "gone" },
  ]);
});

test("requests are claimed in the order in which they were stored", async () => {
  const [mine, theirs] = [inboxOf(owner), inboxOf(other)];
  const ids: string[] = [];
  for (const name of ["b", "c", "a", "d"]) ids.push(await theirs.add(promptOf(name)));

  expect((await mine.claim()).map(({ id }) => id)).toEqual(ids);
  for (const id of ids) await mine.remove(id);
});

test("a message that waits is stored once, and another message with its id is refused [LOG-05]", async () => {
  const [mine, theirs] = [inboxOf(owner), inboxOf(other)];
  const id = await theirs.add(promptOf("m2"));

  expect(await theirs.add(promptOf("m2"))).toBe(id);
  await expect(theirs.add(promptOf("m2", "other content"))).rejects.toMatchObject({
    code: "agent-busy",
    message: "another message with this id is being delivered; send the message again later",
  });
  const bobs = await theirs.add({ ...promptOf("m2"), caller: { ...CALLER, user: "bob" } });
  const one = await theirs.add(cancel);
  const two = await theirs.add(cancel);

  expect(new Set([id, bobs, one, two]).size).toBe(4);
  expect((await mine.claim()).map((claimed) => claimed.id)).toEqual([id, bobs, one, two]);
  for (const each of [id, bobs, one, two]) await mine.remove(each);
});

test("a request that is given back can be claimed or withdrawn", async () => {
  const [mine, theirs] = [inboxOf(owner), inboxOf(other)];
  const [kept, dropped] = [await theirs.add(promptOf("m3")), await theirs.add(promptOf("m4"))];
  await mine.claim();

  await theirs.unclaim(kept);
  const stillClaimed = await theirs.readState(kept);
  await mine.unclaim(kept);
  await mine.unclaim(dropped);

  expect(stillClaimed).toEqual({ type: "claimed" });
  expect(await theirs.readState(kept)).toEqual({ type: "waiting" });
  expect(await theirs.withdraw(dropped)).toBe(true);
  expect(await theirs.readState(dropped)).toEqual({ type: "gone" });
  expect((await mine.claim()).map(({ id }) => id)).toEqual([kept]);
  await mine.remove(kept);
});

test("after the holder has ended, its pool can claim a message again, but not a cancel [SRV-27]", async () => {
  const gone = await openPostgresStore({
    url: url(),
    leaseMs: 600_000,
    pool: "here",
    notifies: false,
  });
  await commitTo(gone, [
    {
      ...first([]),
      contextId: "moved",
      session: { ...first([]).session, contextId: "moved" },
    } as never,
  ]);
  const theirs = inboxOf(other);
  const message = await theirs.add({ ...promptOf("m5"), contextId: "moved" });
  const cancelled = await theirs.add({ ...cancel, contextId: "moved" });
  expect(await inboxOf(gone).claim()).toHaveLength(2);
  const whileHeld = await theirs.claim();
  await gone.close();

  expect(whileHeld).toEqual([]);
  expect(await theirs.readState(message)).toEqual({ type: "waiting" });
  expect(await inboxOf(elsewhere).claim()).toEqual([]);
  expect((await theirs.claim()).map(({ id }) => id)).toEqual([message]);
  expect(await theirs.withdraw(cancelled)).toBe(true);
  await theirs.remove(message);
});

test("a request that is older than ten minutes is deleted", async () => {
  const [mine, theirs] = [inboxOf(owner), inboxOf(other)];
  const [old, young] = [await theirs.add(promptOf("m6")), await theirs.add(promptOf("m7"))];
  const age = (id: string, minutes: number) =>
    database.query(
      `UPDATE shared.inbox SET created_at = now() - interval '${minutes} minutes' WHERE id = '${id}'`,
    );
  await age(old, 11);
  await age(young, 9);

  await theirs.claim();

  expect(await mine.readState(old)).toEqual({ type: "gone" });
  expect(await mine.readState(young)).toEqual({ type: "waiting" });
  await mine.remove(young);
});

/** Runs each statement twice, as after a connection that broke before the first answer arrived. */
function repeat(connections: Database): Pick<Database, "query"> {
  return {
    async query(statement) {
      await connections.query(statement);
      return await connections.query(statement);
    },
  };
}

test("a connection that breaks during an exchange neither doubles nor loses a request [LOG-07, SRV-27]", async () => {
  const connections = await openConnections({
    url: database.url,
    maxConnections: 1,
    timeoutMs: 600_000,
  });
  const holders = await database.query(
    "SELECT holder FROM shared.sessions WHERE context_id = 'context'",
  );
  const wakeUps = openWakeUps({ url: database.url, channel: "shared", isEnabled: false });
  const inbox = createPostgresInbox({
    database: repeat(connections),
    schema: "shared",
    instance: { id: String(holders[0]?.holder) },
    pool: "here",
    wakeUps,
  });

  const ids = [await inbox.add(cancel), await inbox.add(promptOf("m8"))];
  const claimed = (await inbox.claim()).map(({ id }) => id);
  const again = await inbox.claim();
  await inbox.unclaim(String(ids[1]));
  const givenBack = (await inbox.claim()).map(({ id }) => id);
  for (const id of ids) await inbox.answer(id, REPLY);
  const rest = await inbox.claim();

  expect(claimed).toEqual(ids);
  expect(again).toEqual([]);
  expect(givenBack).toEqual([ids[1]]);
  expect(rest).toEqual([]);
  for (const id of ids) await inbox.remove(id);
  await connections.close();
});
