import type { GrantKey } from "../../store/grant-store.js";

/** The credential of a user in the session of another one. */
export interface GuestCredential {
  readonly key: GrantKey;
  readonly grantId: string;
  /** The credential of the request. */
  readonly credential: string;
}

const PREFIX = "guest:";

/**
 * Encodes the credential that an agent gets for a user in the session of another one. It names the grant, so that a mode
 * that the user has set there ends with the grant, even if the user gets another one.
 */
export function encodeGuestCredential({ key, grantId, credential }: GuestCredential): string {
  return PREFIX + JSON.stringify([key.contextId, key.user, grantId, credential]);
}

/** Decodes such a credential; undefined for another credential. */
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
