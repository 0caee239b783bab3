import { TransportError } from "../errors/transport-error.js";
import { checkToken } from "./header-text.js";

/** What a function that gives a token or headers is told. */
export interface CredentialRequest {
  /** Whether the agent has just refused what was given last: then something newer is wanted. */
  readonly wasRefused: boolean;
}

/** A value, or a function that is asked for it before every request and may fetch it anew. */
export type Fresh<TValue> = TValue | ((request: CredentialRequest) => TValue | Promise<TValue>);

/** What this client shows to the agent with every request. */
export interface Credentials {
  /** Whether asking again may give something else. */
  readonly canRefresh: boolean;
  headers(request: CredentialRequest): Promise<Readonly<Record<string, string>>>;
  /** For a WebSocket, which cannot send headers from a browser. */
  token(request: CredentialRequest): Promise<string | undefined>;
}

/** Options that credentials are made of. */
export interface CredentialOptions {
  /** A bearer token. */
  readonly token?: Fresh<string | undefined>;
  /** More headers for every HTTP request. */
  readonly headers?: Fresh<Readonly<Record<string, string>>>;
}

/** Credentials from what the caller gave; a token becomes an Authorization header. */
export function createCredentials({ token, headers = {} }: CredentialOptions): Credentials {
  return {
    canRefresh: typeof token === "function" || typeof headers === "function",
    async headers(request) {
      const [given, own] = await Promise.all([ask(token, request), ask(headers, request)]);
      const known = checkToken(given);
      return { ...(known !== undefined && { Authorization: `Bearer ${known}` }), ...own };
    },
    token: async (request) => checkToken(await ask(token, request)),
  };
}

async function ask<TValue>(source: Fresh<TValue>, request: CredentialRequest): Promise<TValue> {
  if (typeof source !== "function") return source;
  // Only a function of this union is callable.
  const give = source as (request: CredentialRequest) => TValue | Promise<TValue>;
  try {
    return await give(request);
  } catch (cause) {
    // What fetch throws while the network is down, as it is when a laptop wakes up.
    if (!(cause instanceof TypeError)) throw cause;
    throw new TransportError("unreachable", "the token could not be fetched", { cause });
  }
}
