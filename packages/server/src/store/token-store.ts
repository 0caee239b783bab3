import type { Role } from "@dt/schema";

/** A token of a user. The token itself is not stored, only the digest of its secret. */
export interface TokenRecord {
  /** Public part of the token, by which the record is found. It gives no access. */
  readonly id: string;
  readonly user: string;
  /** Name of the device or program that has the token. */
  readonly name: string;
  readonly role: Role;
  /** Class of limits and budgets that applies to the user. */
  readonly tier?: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
  readonly createdAt: string;
  /** Time at which the token expires; absent if it never does. */
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  /** Time of the last use, with a precision of about a minute. */
  readonly lastUsedAt?: string;
}

/** User and name of a token. At most one token of a user and name is valid at a time. */
export type TokenName = Pick<TokenRecord, "user" | "name">;

/** Stores tokens. Several processes may use them at the same time. All times are ISO 8601. */
export interface TokenStore {
  /**
   * Adds a token. Returns false and changes nothing if the user has another token of that name that is still
   * valid when the new one is created.
   */
  createToken(token: TokenRecord): Promise<boolean>;
  /** Finds tokens by their ids, in any order. Unknown ids are left out. */
  findTokens(ids: readonly string[]): Promise<readonly TokenRecord[]>;
  /** Lists all tokens, sorted by user, name and creation. */
  listTokens(): Promise<readonly TokenRecord[]>;
  /** Revokes the token of a user and name that is valid at the time `at`. Returns false if there is none. */
  revokeToken(name: TokenName, at: string): Promise<boolean>;
  /** Notes the time of the last use. The time never decreases. */
  noteTokenUse(id: string, at: string): Promise<void>;
}
