import type { Caller } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { commitTo } from "../../testing/commit-to.js";
import { first, session } from "../../testing/store-checks.js";
import { createSessionSharing, MAX_GRANTS } from "./sharing.js";

const DAY_MS = 24 * 60 * 60_000;
const START = Date.parse("2026-01-01T00:00:00.000Z");
const alice: Caller = { user: "alice", name: "Alice", role: "admin" };
const bob: Caller = { user: "bob", name: "Bob", role: "approve" };
const eve: Caller = { user: "eve", name: "Eve", role: "approve" };

/** Opens a store with sessions of Alice, and a sharing of these sessions with a clock that the test moves. */
async function openSharing(contextIds: readonly string[] = ["context"]) {
  const store = openMemoryStore();
  for (const contextId of contextIds) {
    const draft = { ...first([]), contextId, session: { ...session, contextId } };
    const events = [{ position: 1, event: { ...first([1]).events[0]?.event, taskId: contextId } }];
    await commitTo(store, [{ ...draft, events: events as typeof draft.events }]);
  }
  const time = { ms: START };
  const sharing = createSessionSharing(store, { now: () => new Date(time.ms) });
  const give = (user: string, role = "prompt", ttlSeconds = 0, contextId = "context") =>
    sharing.share({ contextId }, { user, role, ttlSeconds }, alice);
  return { ...sharing, store, time, give };
}

test("an owner shares a session with a user for a week, unless another time is given [TEAM-01]", async () => {
  const { give, list, time } = await openSharing();

  const { grant, link } = await give("bob");
  time.ms += 1_000;
  const short = await give("eve", "observe", 60);

  expect(link).toBe("");
  expect(grant).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    contextId: "context",
    user: "bob",
    role: "prompt",
    digest: "",
    linkId: "",
    createdAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-08T00:00:00.000Z",
  });
  expect(short.grant.expiresAt).toBe("2026-01-01T00:01:01.000Z");
  expect(await list("context")).toEqual([grant, short.grant]);
});

test("whoever holds a link joins the session with the role of the link [TEAM-01]", async () => {
  const { give, join, store } = await openSharing();
  const { grant, link } = await give("", "observe");

  const joined = await join(link, bob);
  const again = await join(link, bob);

  expect(link).toMatch(/^dtl_[0-9a-f]{16}_[\w-]{43}$/);
  expect(JSON.stringify(grant)).not.toContain(link.slice(-43));
  expect(joined).toEqual({
    session: await store.findSession("context"),
    grant: {
      ...grant,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      user: "bob",
      digest: "",
      linkId: grant.id,
    },
    role: "observe",
    isNew: true,
  });
  expect(joined.grant?.id).not.toBe(grant.id);
  expect(again).toEqual({ ...joined, isNew: false });
});

test("an owner who opens their own link gets the session without a grant", async () => {
  const { give, join, list } = await openSharing();
  const { link } = await give("", "observe");

  expect(await join(link, alice)).toMatchObject({ grant: undefined, role: "admin", isNew: false });
  expect(await list("context")).toHaveLength(1);
});

test("a link that was changed, has expired or was taken back lets nobody in [TEAM-01]", async () => {
  const { give, join, unshare, time } = await openSharing();
  const { grant, link } = await give("", "observe");
  const named = await give("eve");
  const changed = `${link.slice(0, -2)}${link.endsWith("AA") ? "BB" : "AA"}`;
  const ofUser = link.replace(grant.id, named.grant.id);
  const refusal = {
    code: "task-not-found",
    message:
      "the link is not valid, has expired or was taken back; ask the owner of the session for another one",
  };

  for (const text of ["", "dtl_x", changed, ofUser])
    await expect(join(text, bob)).rejects.toMatchObject(refusal);
  time.ms += 7 * DAY_MS;
  await expect(join(link, bob)).rejects.toMatchObject(refusal);
  const fresh = await give("", "observe");
  await unshare({ contextId: "context" }, { grantId: fresh.grant.id, user: "" });
  await expect(join(fresh.link, bob)).rejects.toMatchObject(refusal);
});

test("a link of a deleted session lets nobody in", async () => {
  const { give, join, store } = await openSharing();
  const { link } = await give("", "observe");
  store.findSession = async () => undefined;

  await expect(join(link, bob)).rejects.toMatchObject({ code: "task-not-found" });
});

test("a session with 100 grants refuses further users and joiners, and says why", async () => {
  const { give, join } = await openSharing();
  const { link } = await give("", "observe");
  for (let number = 1; number < MAX_GRANTS; number += 1) await give(`user-${number}`);

  const refusal = {
    code: "agent-busy",
    message: "the session has 100 grants already; its owner must take one back first",
  };
  await expect(give("bob")).rejects.toMatchObject(refusal);
  await expect(join(link, bob)).rejects.toMatchObject(refusal);
});

test("a link that is taken back while somebody joins is reported as taken back", async () => {
  const { give, join, store } = await openSharing();
  const { grant, link } = await give("", "observe");
  store.createGrant = async () => {
    await store.revokeGrant(grant, "2026-01-01T00:00:00.000Z");
    return false;
  };

  await expect(join(link, bob)).rejects.toMatchObject({ code: "task-not-found" });
});

test("unshare takes back all grants of a user, or a link with the grants of those who joined by it [TEAM-01]", async () => {
  const { give, join, unshare, list } = await openSharing();
  const { grant, link } = await give("", "observe");
  const named = await give("bob");
  const other = await give("carol");
  for (const caller of [bob, eve]) await join(link, caller);
  const ofLink = (await list("context")).filter(({ linkId }) => linkId === grant.id);
  const [joined, stranger] = ["bob", "eve"].map((name) => ofLink.find(({ user }) => user === name));
  const context = { contextId: "context" };
  const idsOf = (grants: readonly { readonly id: string }[]) => grants.map(({ id }) => id).sort();

  const byUser = await unshare(context, { grantId: "", user: "bob" });
  const byLink = await unshare(context, { grantId: grant.id, user: "" });
  const unknown = await unshare(context, { grantId: "nope", user: "" });

  expect(idsOf(byUser)).toEqual([named.grant.id, joined?.id].sort());
  expect(idsOf(byLink)).toEqual([grant.id, stranger?.id].sort());
  expect(unknown).toEqual([]);
  expect(await list("context")).toEqual([other.grant]);
});

test("a caller lists the sessions that others share, with the role that the caller has there [TEAM-01]", async () => {
  const { give, join, listGranted, time, store } = await openSharing(["a", "b", "c"]);
  await give("bob", "observe", 0, "a");
  time.ms += 1_000;
  await give("bob", "approve", 60, "b");
  time.ms += 1_000;
  const { link } = await give("", "prompt", 120, "b");
  await join(link, bob);

  const granted = await listGranted({ ...bob, role: "prompt" });
  await store.changeOwner("alice", "bob");

  expect(
    granted.map(({ session: { contextId }, role, grant, isNew }) => [
      contextId,
      role,
      grant?.expiresAt,
      isNew,
    ]),
  ).toEqual([
    ["b", "prompt", "2026-01-01T00:02:02.000Z", false],
    ["a", "observe", "2026-01-08T00:00:00.000Z", false],
  ]);
  expect(await listGranted(bob)).toEqual([]);
  expect(await listGranted(eve)).toEqual([]);
});

test("a list of shared sessions leaves out sessions that were deleted", async () => {
  const { give, listGranted, store } = await openSharing(["a"]);
  await give("bob", "observe", 0, "a");
  store.findSession = async () => undefined;

  expect(await listGranted(bob)).toEqual([]);
});

test("taking a grant back resolves when the store has revoked it, and fails if the store fails [TEAM-01]", async () => {
  const { give, list, store, unshare } = await openSharing();
  const { grant } = await give("bob");
  const { revokeGrant } = store;
  let isRevoked = false;
  store.revokeGrant = async (...args) => {
    await new Promise(setImmediate);
    isRevoked = true;
    return await revokeGrant(...args);
  };

  const ended = await unshare({ contextId: "context" }, { grantId: grant.id, user: "" });
  const wasRevoked = isRevoked;
  await give("eve");
  store.revokeGrant = () => Promise.reject(new Error("disk full"));
  const failing = unshare({ contextId: "context" }, { grantId: "", user: "eve" });

  await expect(failing).rejects.toThrow("disk full");
  expect([ended, wasRevoked]).toEqual([[grant], true]);
  expect((await list("context")).map(({ user }) => user)).toEqual(["eve"]);
});
