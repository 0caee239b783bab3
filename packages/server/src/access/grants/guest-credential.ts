import type { GrantKey } from "../../store/grant-store.js";

/** The credential of a guest in the session of another user. */
export interface GuestCredential {
  readonly key: GrantKey;
  readonly grantId: string;
  /** The credential of the guest's request. */
  readonly credential: string;
}

const PREFIX = "guest:";

/**
 * Encodes the credential that the session's agent gets for a guest. The text contains the id of the grant, so
 * that a mode that the guest has set ends with that grant, even if the guest gets another grant later.
 */
export function encodeGuestCredential({ key, grantId, credential }: GuestCredential): string {
  return PREFIX + JSON.stringify([key.contextId, key.user, grantId, credential]);
}

/** Inverse of {@link encodeGuestCredential}; undefined for any other credential. */
export function decodeGuestCredential(text: string): GuestCredential | undefined {
  if (!text.startsWith(`${PREFIX}[`)) return undefined;
  const parts = parseList(text.slice(PREFIX.length));
  const [contextId, user, grantId, credential] = parts;
  if (contextId === undefined || user === undefined || grantId === undefined) return undefined;
  return credential === undefined ? undefined : { key: { contextId, user }, grantId, credential };
}

function parseList(text: string): readonly string[] {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) && json.every((part) => typeof part === "string") ? json : [];
  } catch {
    return [];
  }
}
