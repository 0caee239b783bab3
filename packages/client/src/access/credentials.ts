import { TransportError } from "../errors/transport-error.js";
import { checkToken } from "./header-text.js";

/** Argument of a function that returns a token or headers. */
export interface CredentialRequest {
  /** True if the agent has just refused the last value. The function should then return a newer value. */
  readonly wasRefused: boolean;
}

/** A value, or a function that returns the value and is called before every request. */
export type Refreshable<TValue> =
  | TValue
  | ((request: CredentialRequest) => TValue | Promise<TValue>);

/** Credentials that this client sends with every request. */
export interface Credentials {
  /** True if another call may return a newer value. */
  readonly canRefresh: boolean;
  headers(request: CredentialRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * Returns the token without headers. A WebSocket needs the token, because a browser cannot set headers on
   * a socket.
   */
  token(request: CredentialRequest): Promise<string | undefined>;
}

/** Options for the credentials of a client. */
export interface CredentialOptions {
  /** A bearer token. */
  readonly token?: Refreshable<string | undefined>;
  /** Headers to add to every HTTP request. */
  readonly headers?: Refreshable<Readonly<Record<string, string>>>;
}

/** Creates credentials from the caller's options; a token becomes an Authorization header. */
export function createCredentials({ token, headers = {} }: CredentialOptions): Credentials {
  return {
    canRefresh: typeof token === "function" || typeof headers === "function",
    async headers(request) {
      const [given, own] = await Promise.all([resolve(token, request), resolve(headers, request)]);
      const known = checkToken(given);
      return { ...(known !== undefined && { Authorization: `Bearer ${known}` }), ...own };
    },
    token: async (request) => checkToken(await resolve(token, request)),
  };
}

async function resolve<TValue>(
  source: Refreshable<TValue>,
  request: CredentialRequest,
): Promise<TValue> {
  if (typeof source !== "function") return source;
  // The cast is needed, because TypeScript assumes that TValue could itself be a function.
  const load = source as (request: CredentialRequest) => TValue | Promise<TValue>;
  try {
    return await load(request);
  } catch (cause) {
    // fetch throws a TypeError while the network is down, for example when a laptop wakes up.
    if (!(cause instanceof TypeError)) throw cause;
    throw new TransportError("unreachable", "the credentials could not be fetched", { cause });
  }
}
