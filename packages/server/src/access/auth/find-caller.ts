import type { IncomingMessage } from "node:http";
import { ProtocolError } from "@dt/schema";
import { isFromLoopback } from "../source/from-loopback.js";
import type { Authenticate } from "./authenticate.js";
import { findBearerToken } from "./bearer-token.js";
import type { JwtAuthentication } from "./jwt-authentication.js";
import { findLocalCaller } from "./local-caller.js";
import type { LocalToken } from "./local-token.js";
import { malformedToken } from "./malformed-token.js";
import type { TokenAuthority } from "./token-authority.js";
import { isOurToken } from "./token-format.js";

/** Options of {@link createCallerFinder}. */
export interface CallerFinderOptions {
  readonly tokens: Pick<TokenAuthority, "authenticate">;
  /** The token in the agent file of this process; undefined if the process writes no agent file. */
  readonly localToken?: LocalToken | undefined;
  /** Authenticates JSON Web Tokens; undefined if the server accepts none. */
  readonly jwt?: JwtAuthentication | undefined;
  /** Authenticates requests that have neither a token of dt nor a JSON Web Token. */
  readonly authenticate?: Authenticate | undefined;
  /** True if even requests from this machine need a token. */
  readonly isAuthRequired: boolean;
}

/**
 * Creates the authentication of a server. A request is authenticated by the first of these that applies: a token of
 * dt or of the agent file, a JSON Web Token, the function `authenticate`. If none applies, the caller of a request
 * from this machine is the local user, unless authentication is required or the request passed a proxy.
 */
export function createCallerFinder(options: CallerFinderOptions): Authenticate {
  const { tokens, localToken, jwt, authenticate, isAuthRequired } = options;
  return (request) => {
    const token = findBearerToken(request);
    // A request with an invalid token of dt is refused. Its caller never becomes the local user.
    if (token !== undefined && isOurToken(token))
      return localToken?.findCaller(request, token) ?? tokens.authenticate(token);
    const webToken = jwt?.findToken(request);
    if (jwt !== undefined && webToken !== undefined) return jwt.authenticate(webToken);
    if (authenticate !== undefined) return authenticate(request);
    if (isAuthRequired) return refuseMalformed(request, token);
    checkDirect(request);
    return findLocalCaller(request);
  };
}

// Throws if a request has a token or an `Authorization` header that cannot be read. Otherwise the client would be told
// that it sent no token.
function refuseMalformed({ headers }: IncomingMessage, token: string | undefined): undefined {
  if (token !== undefined) throw malformedToken();
  if (!headers.authorization) return undefined;
  throw new ProtocolError(
    "unauthenticated",
    "the header Authorization is malformed; send it as Authorization: Bearer TOKEN",
  );
}

// Throws if a request is not from this machine, or passed a proxy. A proxy on this machine may pass on requests from
// other machines.
function checkDirect(request: IncomingMessage): void {
  if (isFromLoopback(request)) return;
  throw new ProtocolError(
    "unauthenticated",
    "a request through a proxy, or from another machine, requires authentication; send a token",
  );
}
