import type { TokenRecord } from "../store/token-store.js";
import { equal, rejects, type StorePromise } from "./store-checks.js";

const TOKEN: TokenRecord = {
  id: "id-1",
  user: "ada",
  name: "laptop",
  role: "approve",
  digest: "ab12",
  createdAt: "2026-01-01T00:00:00.000Z",
};
const LATER = "2026-01-02T00:00:00.000Z";

/** The promises about tokens that every store must keep. */
export const tokenContract: readonly StorePromise[] = [
  {
    name: "a token is found by its id as it was created, and an unknown id finds no token",
    async check(store) {
      const other: TokenRecord = {
        ...TOKEN,
        id: "id-2",
        name: "phone é",
        tier: "gold",
        expiresAt: LATER,
      };
      equal(await store.createToken(TOKEN), true);
      equal(await store.createToken(other), true);
      equal(await store.findTokens(["id-1"]), [TOKEN]);
      equal(await store.findTokens(["nope"]), []);
      equal((await store.findTokens(["id-1", "nope", "id-2"])).length, 2);
      equal(await store.listTokens(), [TOKEN, other]);
    },
  },
  {
    name: "a user has at most one valid token of each name",
    async check(store) {
      equal(await store.createToken({ ...TOKEN, expiresAt: LATER }), true);
      equal(await store.createToken({ ...TOKEN, id: "id-2" }), false);
      equal(await store.createToken({ ...TOKEN, id: "id-2", user: "bob" }), true);
      equal(await store.createToken({ ...TOKEN, id: "id-3", createdAt: LATER }), true);
      equal(
        (await store.listTokens()).map(({ id }) => id),
        ["id-1", "id-3", "id-2"],
      );
    },
  },
  {
    name: "a token can be revoked until it expires, and no ids find no tokens",
    async check(store) {
      await store.createToken({ ...TOKEN, expiresAt: LATER });
      equal(await store.revokeToken(TOKEN, LATER), false);
      equal(await store.revokeToken(TOKEN, "2026-01-01T23:59:59.999Z"), true);
      equal(await store.findTokens([]), []);
    },
  },
  {
    name: "a token can be revoked once, by its user and name, and its record stays",
    async check(store) {
      await store.createToken(TOKEN);
      equal(await store.revokeToken({ user: "bob", name: "laptop" }, LATER), false);
      equal(await store.revokeToken(TOKEN, LATER), true);
      equal(await store.revokeToken(TOKEN, LATER), false);
      equal(await store.findTokens(["id-1"]), [{ ...TOKEN, revokedAt: LATER }]);
      equal(await store.createToken({ ...TOKEN, id: "id-2", createdAt: LATER }), true);
    },
  },
  {
    name: "the time of a token's last use is stored and never decreases",
    async check(store) {
      await store.createToken(TOKEN);
      await store.noteTokenUse("id-1", LATER);
      await store.noteTokenUse("id-1", TOKEN.createdAt);
      await store.noteTokenUse("nope", LATER);
      equal(await store.findTokens(["id-1"]), [{ ...TOKEN, lastUsedAt: LATER }]);
    },
  },
  {
    name: "a closed store refuses to find or create tokens",
    async check(store) {
      await store.createToken(TOKEN);
      await store.close();
      await rejects(store.findTokens(["id-1"]));
      await rejects(store.createToken({ ...TOKEN, id: "id-2", name: "other" }));
    },
  },
];
