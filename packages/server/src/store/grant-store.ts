import type { Role } from "@dt/schema";

/** A right to use one session, which its owner gave to a user or to whoever holds a link. */
export interface GrantRecord {
  /** Public id, by which the record is found. It gives no access. */
  readonly id: string;
  readonly contextId: string;
  /** The user who may use the session; "" for a link. */
  readonly user: string;
  readonly role: Role;
  /** SHA-256 of the link's secret, in hexadecimal; "" for a user. */
  readonly digest: string;
  /** Id of the link by which the user joined; "" if the owner named the user. */
  readonly linkId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt?: string;
}

/** A user and a session. */
export type GrantKey = Pick<GrantRecord, "contextId" | "user">;

/**
 * Stores grants. Several processes may use them at the same time. All times are ISO 8601. A grant is valid until it
 * is revoked or expires.
 */
export interface GrantStore {
  /**
   * Adds a grant. It replaces an earlier valid grant of the user on the session, if the owner gave both grants, or if
   * the user got both grants by the same link. Returns false and changes nothing if its link is not valid when the
   * grant is created, or if the session would have more than `maxPerSession` valid grants.
   */
  createGrant(grant: GrantRecord, options: { readonly maxPerSession: number }): Promise<boolean>;
  findGrant(id: string): Promise<GrantRecord | undefined>;
  /** Finds the grants with one of the given keys that are valid at the time `at`, in any order. */
  findGrants(keys: readonly GrantKey[], at: string): Promise<readonly GrantRecord[]>;
  /** Returns true if a user ever had a grant on a session, valid or not. */
  hadGrant(key: GrantKey): Promise<boolean>;
  /** Lists the grants of a session that are valid at the time `at`, the oldest first. */
  listGrants(contextId: string, at: string): Promise<readonly GrantRecord[]>;
  /** Lists the grants of a user that are valid at the time `at`, the newest first, at most 1,000. */
  listGrantsOf(user: string, at: string): Promise<readonly GrantRecord[]>;
  /**
   * Revokes a grant of a session. If the grant is a link, also revokes the grants of everybody who joined by
   * the link. Returns the number of grants that were revoked now.
   */
  revokeGrant(key: Pick<GrantRecord, "contextId" | "id">, at: string): Promise<number>;
}

/** Maximum number of grants in a list of a user. */
export const MAX_LISTED_GRANTS = 1_000;
