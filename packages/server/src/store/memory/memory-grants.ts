import { isValidGrant } from "../../access/grants/grant-validity.js";
import { type GrantRecord, type GrantStore, MAX_LISTED_GRANTS } from "../grant-store.js";

/** The grants of a store in memory. */
export interface MemoryGrants {
  readonly store: GrantStore;
  deleteSession(contextId: string): void;
}

/** Creates the grants of a store that keeps them in memory. `checkOpen` throws if the store is closed. */
export function createMemoryGrants(
  checkOpen: () => void,
  grants = new Map<string, GrantRecord>(),
): MemoryGrants {
  const listValid = (at: string) => [...grants.values()].filter((grant) => isValidGrant(grant, at));
  const revoke = (grant: GrantRecord, at: string) =>
    grants.set(grant.id, { ...grant, revokedAt: at });

  return {
    store: {
      async createGrant(grant, { maxPerSession }) {
        checkOpen();
        const { contextId, user, linkId, createdAt } = grant;
        const others = listValid(createdAt).filter((each) => each.contextId === contextId);
        const replaced = others.filter(
          (each) => user !== "" && each.user === user && each.linkId === linkId,
        );
        const hasLink = linkId === "" || others.some(({ id, digest }) => id === linkId && digest);
        if (!hasLink || others.length - replaced.length >= maxPerSession) return false;
        for (const each of replaced) revoke(each, createdAt);
        grants.set(grant.id, grant);
        return true;
      },
      async findGrant(id) {
        checkOpen();
        return grants.get(id);
      },
      async findGrants(keys, at) {
        checkOpen();
        return listValid(at).filter((grant) =>
          keys.some(({ contextId, user }) => grant.contextId === contextId && grant.user === user),
        );
      },
      async hadGrant({ contextId, user }) {
        checkOpen();
        return [...grants.values()].some(
          (grant) => grant.contextId === contextId && grant.user === user,
        );
      },
      async listGrants(contextId, at) {
        checkOpen();
        return listValid(at)
          .filter((grant) => grant.contextId === contextId)
          .sort(byCreation);
      },
      async listGrantsOf(user, at) {
        checkOpen();
        return listValid(at)
          .filter((grant) => grant.user === user)
          .sort((one, other) => byCreation(other, one))
          .slice(0, MAX_LISTED_GRANTS);
      },
      async revokeGrant({ contextId, id }, at) {
        checkOpen();
        const revoked = listValid(at).filter(
          (grant) => grant.contextId === contextId && (grant.id === id || grant.linkId === id),
        );
        for (const grant of revoked) revoke(grant, at);
        return revoked.length;
      },
    },
    deleteSession(contextId) {
      for (const grant of grants.values()) {
        if (grant.contextId === contextId) grants.delete(grant.id);
      }
    },
  };
}

function byCreation(one: GrantRecord, other: GrantRecord): number {
  return `${one.createdAt}\0${one.id}` < `${other.createdAt}\0${other.id}` ? -1 : 1;
}
