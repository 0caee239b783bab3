import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isProtocolError } from "@dt/schema";
import type { AuthenticateRequest } from "../auth/authenticate.js";
import type { RateLimits } from "./rate-limits.js";

/** Options of {@link limitSignIns}. */
export interface SignInLimitOptions {
  readonly rates: RateLimits;
  addressOf(request: IncomingMessage): string | undefined;
  /** Finds the token of a request: a token of dt or a JSON Web Token. */
  findToken(request: IncomingMessage): string | undefined;
}

/** Maximum number of tokens that are remembered as valid. */
const MAX_KNOWN = 4_096;

/**
 * Adds rate limits to an authentication. A request counts for its user if the user is known, else for its address.
 *
 * A request from an address with too many failed sign-ins is refused before its token is checked. A token that was
 * valid before is checked as usual, so that one failing program does not lock out others behind the same proxy.
 */
export function limitSignIns(
  authenticate: AuthenticateRequest,
  { rates, addressOf, findToken }: SignInLimitOptions,
): AuthenticateRequest {
  const known = createKnownTokens();

  async function countFailure(request: IncomingMessage, reason: unknown): Promise<void> {
    if (!isProtocolError(reason)) return;
    const { code } = reason;
    if (code === "unauthenticated" && findToken(request) !== undefined)
      await rates.countFailedSignIn(addressOf(request));
    else if (code === "unauthenticated" || code === "forbidden")
      await rates.countAnonymous(addressOf(request));
  }

  return async (request) => {
    const token = findToken(request);
    if (token !== undefined && !known.has(token)) await rates.checkSignIn(addressOf(request));
    const caller = await authenticate(request).catch(async (reason: unknown) => {
      if (token !== undefined) known.delete(token);
      await countFailure(request, reason);
      throw reason;
    });
    if (token !== undefined) known.add(token);
    await rates.countRequest(caller.user);
    return caller;
  };
}

/** Creates a set of the digests of tokens that were valid lately. */
function createKnownTokens() {
  const digests = new Set<string>();
  const digestOf = (token: string) => createHash("sha256").update(token).digest("base64");
  return {
    has: (token: string) => digests.has(digestOf(token)),
    delete: (token: string) => void digests.delete(digestOf(token)),
    add(token: string) {
      const digest = digestOf(token);
      digests.delete(digest);
      digests.add(digest);
      const [oldest] = digests;
      if (digests.size > MAX_KNOWN && oldest !== undefined) digests.delete(oldest);
    },
  };
}
