import type { TokenRecord } from "../../store/token-store.js";

/** Returns true if a token is neither revoked nor expired at the time `at`. */
export function isValidToken(
  { expiresAt, revokedAt }: Pick<TokenRecord, "expiresAt" | "revokedAt">,
  at: string,
): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > at);
}
