import { type Caller, ProtocolError } from "@dt/schema";
import type { Clock } from "../../clock.js";
import type { TokenRecord, TokenStore } from "../../store/token-store.js";
import type { CredentialBook } from "../credential-book.js";
import { createRepeatedCheck } from "../repeated-check.js";
import { isDeviceUser } from "./device-user.js";
import { malformedToken } from "./malformed-token.js";
import { decodeToken, hasDigest } from "./token-format.js";
import { isValidToken } from "./token-validity.js";

/** Authenticates tokens, and notices when they end. */
export interface TokenAuthority {
  /** Finds the caller of a token. Rejects with `unauthenticated` if the token is not valid. */
  authenticate(token: string): Promise<Caller>;
  close(): void;
}

/** Options of {@link createTokenAuthority}. */
export interface TokenAuthorityOptions {
  readonly store: Pick<TokenStore, "findTokens" | "noteTokenUse">;
  /** Keeps the credential of each token until the token ends. */
  readonly credentials: Pick<CredentialBook, "adopt">;
  readonly clock: Clock;
  onFault(reason: unknown): void;
  /** Interval at which tokens in use are checked. Default: 750 ms. */
  readonly checkMs?: number;
}

/** A token that was used since the server started. */
interface UsedToken {
  readonly ended: AbortController;
  /** Value of `elapsedMs` when the last use was stored. */
  notedAt: number;
}

const CHECK_MS = 750;
/** Shortest time between two stored uses of a token. A use in between is not stored. */
const NOTE_MS = 60_000;

/**
 * Creates an authority for the tokens of a store. The store is read for each request, so a new token works at once.
 * Another process may revoke a token; the requests and streams that use it end soon after.
 */
export function createTokenAuthority(options: TokenAuthorityOptions): TokenAuthority {
  const { store, credentials, clock, onFault, checkMs = CHECK_MS } = options;
  const used = new Map<string, UsedToken>();
  const repeated = createRepeatedCheck({
    intervalMs: checkMs,
    check,
    isNeeded: () => used.size > 0,
    onFault,
  });

  const now = () => clock.now().toISOString();

  function noteUse({ id }: TokenRecord): void {
    const known = used.get(id) ?? open(id);
    const elapsed = clock.elapsedMs();
    if (elapsed - known.notedAt < NOTE_MS) return;
    known.notedAt = elapsed;
    // The request does not wait for this write, and is admitted even if the store is read-only.
    store.noteTokenUse(id, now()).catch(onFault);
  }

  function open(id: string): UsedToken {
    const known = { ended: new AbortController(), notedAt: Number.NEGATIVE_INFINITY };
    used.set(id, known);
    credentials.adopt(credentialOf(id), known.ended.signal);
    repeated.start();
    return known;
  }

  function end(id: string, reason: ProtocolError): void {
    const known = used.get(id);
    used.delete(id);
    known?.ended.abort(reason);
  }

  async function check(): Promise<void> {
    const ids = [...used.keys()];
    const tokens = await store.findTokens(ids);
    const records = new Map(tokens.map((token) => [token.id, token]));
    for (const id of ids) {
      const reason = findFault(records.get(id), now());
      if (reason !== undefined) end(id, reason);
    }
  }

  return {
    async authenticate(text) {
      const parts = decodeToken(text);
      if (parts === undefined) throw malformedToken();
      const [token] = await store.findTokens([parts.id]);
      if (token === undefined || !hasDigest(parts.secret, token.digest))
        throw refusal("is not valid");
      const fault = findFault(token, now());
      if (fault !== undefined) {
        end(token.id, fault);
        throw fault;
      }
      noteUse(token);
      return toCaller(token);
    },
    close: repeated.close,
  };
}

function findFault(token: TokenRecord | undefined, at: string): ProtocolError | undefined {
  if (token === undefined) return refusal("is not valid");
  if (isValidToken(token, at)) return undefined;
  return refusal(token.revokedAt === undefined ? "has expired" : "was revoked");
}

function refusal(problem: string): ProtocolError {
  return new ProtocolError("unauthenticated", `the token ${problem}; use another one`);
}

function credentialOf(id: string): string {
  return `token:${id}`;
}

/** The name of the caller contains the device, so that others see from which device a prompt came. */
function toCaller({ id, user, name, role, tier }: TokenRecord): Caller {
  return {
    user,
    credential: credentialOf(id),
    name: isDeviceUser(user) ? name : `${user}/${name}`,
    role,
    ...(tier !== undefined && { tier }),
  };
}
