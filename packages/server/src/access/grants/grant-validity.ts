import type { GrantRecord } from "../../store/grant-store.js";

/** Returns true if a grant is neither revoked nor expired at the time `at`. */
export function isValidGrant(
  { expiresAt, revokedAt }: Pick<GrantRecord, "expiresAt" | "revokedAt">,
  at: string,
): boolean {
  return revokedAt === undefined && expiresAt > at;
}
