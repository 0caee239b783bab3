import type { GrantRecord } from "../store/grant-store.js";
import { commitTo } from "./commit-to.js";
import { equal, first, rejects, type StorePromise } from "./store-checks.js";

const CREATED = "2026-01-01T00:00:00.000Z";
const LATER = "2026-01-02T00:00:00.000Z";
const EXPIRED = "2026-01-03T00:00:00.000Z";

const GRANT: GrantRecord = {
  id: "grant-1",
  contextId: "context",
  user: "bob é",
  role: "approve",
  digest: "",
  linkId: "",
  createdAt: CREATED,
  expiresAt: EXPIRED,
};
const LINK: GrantRecord = { ...GRANT, id: "link-1", user: "", role: "prompt", digest: "ab12" };
const JOINED: GrantRecord = { ...GRANT, id: "grant-2", role: "prompt", linkId: "link-1" };
const KEY = { contextId: "context", user: GRANT.user };
const MANY = { maxPerSession: 10 };

const idsOf = (grants: readonly GrantRecord[]) => grants.map(({ id }) => id).sort();

/** The promises about grants that every store must keep. */
export const grantContract: readonly StorePromise[] = [
  {
    name: "a grant is found unchanged by its id, its session, its user, or its session and user together",
    async check(store) {
      const other = { ...GRANT, id: "grant-3", contextId: "other", user: "eve" };
      equal(await store.createGrant(GRANT, MANY), true);
      equal(await store.createGrant(other, MANY), true);
      equal(await store.findGrant("grant-1"), GRANT);
      equal(await store.findGrant("nope"), undefined);
      equal(await store.listGrants("context", LATER), [GRANT]);
      equal(await store.listGrantsOf("eve", LATER), [other]);
      equal(await store.findGrants([KEY], LATER), [GRANT]);
      equal(await store.findGrants([{ ...KEY, user: "eve" }], LATER), []);
      equal(idsOf(await store.findGrants([KEY, { contextId: "other", user: "eve" }], LATER)), [
        "grant-1",
        "grant-3",
      ]);
    },
  },
  {
    name: "the grants of a session are listed oldest first, and the grants of a user newest first",
    async check(store) {
      await store.createGrant({ ...GRANT, id: "new", createdAt: LATER, contextId: "b" }, MANY);
      await store.createGrant({ ...GRANT, id: "old", contextId: "a" }, MANY);
      await store.createGrant(
        { ...GRANT, id: "eve", createdAt: LATER, contextId: "a", user: "eve" },
        MANY,
      );
      equal(
        (await store.listGrantsOf(GRANT.user, LATER)).map(({ id }) => id),
        ["new", "old"],
      );
      equal(
        (await store.listGrants("a", LATER)).map(({ id }) => id),
        ["old", "eve"],
      );
    },
  },
  {
    name: "a grant that the owner gives a user replaces the owner's earlier grant, but no grant by a link",
    async check(store) {
      await store.createGrant(GRANT, MANY);
      await store.createGrant(LINK, MANY);
      await store.createGrant(JOINED, MANY);
      const lower: GrantRecord = { ...GRANT, id: "grant-3", role: "observe", createdAt: LATER };
      equal(await store.createGrant(lower, MANY), true);
      equal(idsOf(await store.findGrants([KEY], LATER)), ["grant-2", "grant-3"]);
      equal(await store.findGrant("grant-1"), { ...GRANT, revokedAt: LATER });
    },
  },
  {
    name: "an expired grant is not in any list, and a session cannot have more grants than the limit",
    async check(store) {
      const one = { maxPerSession: 1 };
      equal(await store.createGrant(GRANT, one), true);
      equal(await store.createGrant({ ...GRANT, id: "grant-2", user: "eve" }, one), false);
      equal(await store.createGrant({ ...GRANT, id: "grant-3" }, one), true);
      equal(await store.findGrants([KEY], EXPIRED), []);
      equal(await store.listGrants("context", EXPIRED), []);
      equal(await store.listGrantsOf(GRANT.user, EXPIRED), []);
      equal(await store.createGrant({ ...GRANT, id: "grant-4", createdAt: EXPIRED }, one), true);
    },
  },
  {
    name: "a store knows who ever had a grant on a session, even after the grant was revoked",
    async check(store) {
      equal(await store.hadGrant(KEY), false);
      await store.createGrant(GRANT, MANY);
      equal(await store.hadGrant(KEY), true);
      await store.revokeGrant({ contextId: "context", id: "grant-1" }, LATER);
      equal(await store.hadGrant(KEY), true);
      equal(await store.hadGrant({ ...KEY, user: "eve" }), false);
      equal(await store.hadGrant({ ...KEY, contextId: "other" }), false);
    },
  },
  {
    name: "revoking a link also revokes the grants of everybody who joined by it",
    async check(store) {
      await store.createGrant(GRANT, MANY);
      await store.createGrant(LINK, MANY);
      await store.createGrant(JOINED, MANY);
      equal(await store.revokeGrant({ contextId: "other", id: "link-1" }, LATER), 0);
      equal(await store.revokeGrant({ contextId: "context", id: "link-1" }, LATER), 2);
      equal(await store.revokeGrant({ contextId: "context", id: "link-1" }, LATER), 0);
      equal(idsOf(await store.listGrants("context", LATER)), ["grant-1"]);
      equal(await store.findGrant("grant-2"), { ...JOINED, revokedAt: LATER });
    },
  },
  {
    name: "nobody joins by a grant that is unknown, revoked, expired or not a link",
    async check(store) {
      await store.createGrant(GRANT, MANY);
      equal(await store.createGrant(JOINED, MANY), false);
      equal(await store.createGrant({ ...JOINED, linkId: "grant-1" }, MANY), false);
      await store.createGrant(LINK, MANY);
      equal(await store.createGrant({ ...JOINED, linkId: "link-2" }, MANY), false);
      equal(await store.createGrant({ ...JOINED, contextId: "other" }, MANY), false);
      equal(await store.createGrant({ ...JOINED, createdAt: EXPIRED }, MANY), false);
      await store.revokeGrant({ contextId: "context", id: "link-1" }, LATER);
      equal(await store.createGrant({ ...JOINED, createdAt: LATER }, MANY), false);
    },
  },
  {
    name: "grants are deleted with their session, and stay if the session gets another owner",
    async check(store) {
      await commitTo(store, [first([1])]);
      await store.createGrant(GRANT, MANY);
      await store.changeOwner("alice", "carol");
      equal(idsOf(await store.findGrants([KEY], LATER)), ["grant-1"]);
      await store.deleteSession("context");
      equal(await store.findGrant("grant-1"), undefined);
    },
  },
  {
    name: "a closed store refuses to find or create grants",
    async check(store) {
      await store.createGrant(GRANT, MANY);
      await store.close();
      await rejects(store.findGrants([KEY], LATER));
      await rejects(store.createGrant({ ...GRANT, id: "grant-2" }, MANY));
    },
  },
];
