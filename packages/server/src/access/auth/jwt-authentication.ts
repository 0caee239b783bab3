import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ProtocolError, ROLES, type Role } from "@dt/schema";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import type { AuthenticatedCaller } from "./authenticate.js";
import { findBearerToken } from "./bearer-token.js";
import { isOurToken } from "./token-format.js";

/** Options for callers that an identity provider or a proxy authenticates by a JSON Web Token. */
export interface JwtOptions {
  /** URL of the provider's public keys (JWKS). */
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** Algorithms that are accepted. Default: RS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Header that contains the token, such as `X-Goog-IAP-JWT-Assertion`. Default: `Authorization`. */
  readonly header?: string;
  /** Claim that contains the role, as one value or in a list of values. Default: `dt_role`. */
  readonly roleClaim?: string;
  /** Roles by value of the claim `roleClaim`. Default: the values are the names of the roles. */
  readonly roles?: Readonly<Record<string, Role>>;
  /** Role of users whose claim names no role. Default: such users are refused with 403. */
  readonly defaultRole?: Role;
  /** Claim with the tier of the user. Default: `dt_tier`. */
  readonly tierClaim?: string;
}

/** Authenticates JSON Web Tokens. */
export interface JwtAuthentication {
  /** Finds the token of a request; undefined if it has none. */
  findToken(request: IncomingMessage): string | undefined;
  /** Finds the caller of a token. Rejects if the token is invalid, has no role, or cannot be checked now. */
  authenticate(token: string): Promise<AuthenticatedCaller>;
}

const DEFAULT_ALGORITHMS = ["RS256", "ES256", "EdDSA"];
/** Maximum difference between the clocks of the provider and the server, in seconds. */
const CLOCK_TOLERANCE = 60;
/** Time after which keys are fetched again, so that a key that the provider removed is no longer accepted. */
const KEYS_MS = 60_000;
/** Minimum time between two fetches that tokens with unknown keys cause. Anybody can send such tokens. */
const COOLDOWN_MS = 5_000;
const FETCH_MS = 5_000;

/** Creates the authentication. Keys are fetched when they are needed, so they may change at any time. */
export function createJwtAuthentication(
  options: JwtOptions,
  clock: { now(): Date },
): JwtAuthentication {
  const { issuer, audience, header, algorithms = DEFAULT_ALGORITHMS } = options;
  const keys = createRemoteJWKSet(new URL(options.jwksUrl), {
    cacheMaxAge: KEYS_MS,
    cooldownDuration: COOLDOWN_MS,
    timeoutDuration: FETCH_MS,
  });

  async function verify(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: clock.now(),
        requiredClaims: ["sub", "exp"],
      });
      return payload;
    } catch (cause) {
      throw toRefusal(cause);
    }
  }

  return {
    findToken(request) {
      if (header !== undefined) return request.headers[header.toLowerCase()]?.toString();
      const token = findBearerToken(request);
      return token === undefined || isOurToken(token) ? undefined : token;
    },
    async authenticate(token) {
      return toCaller(await verify(token), token, options);
    },
  };
}

/** Errors that are the fault of the token, and not of the provider of the keys. */
const TOKEN_ERRORS = [
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

function toRefusal(cause: unknown): ProtocolError {
  const refuse = (problem: string) =>
    new ProtocolError("unauthenticated", `the token ${problem}; use another one`, { cause });
  if (cause instanceof errors.JWTExpired) return refuse("has expired");
  if (TOKEN_ERRORS.some((kind) => cause instanceof kind)) return refuse("is not valid");
  return new ProtocolError(
    "agent-busy",
    "the keys of the identity provider cannot be fetched; try again later",
    { cause, data: { retryAfterMs: COOLDOWN_MS } },
  );
}

/**
 * Converts the claims of a token to a caller. The user begins with `jwt:`, so that it differs from the users
 * of dt's tokens, which have no colon.
 */
function toCaller(payload: JWTPayload, token: string, options: JwtOptions): AuthenticatedCaller {
  const { iss = "", sub = "", exp = 0 } = payload;
  const tier = payload[options.tierClaim ?? "dt_tier"];
  return {
    user: `jwt:${iss}#${sub}`,
    credential: `jwt:${createHash("sha256").update(token).digest("hex").slice(0, 32)}`,
    name: findName(payload) ?? sub,
    role: findRole(payload, options),
    ...(typeof tier === "string" && { tier }),
    expiresAt: new Date((exp + CLOCK_TOLERANCE) * 1_000),
  };
}

function findName({ email, preferred_username, name }: JWTPayload): string | undefined {
  const found = [email, preferred_username, name].find((each) => typeof each === "string");
  return (found as string | undefined)?.slice(0, 64);
}

/** Finds the highest role in the claim, or else the default role. Throws `forbidden` if there is neither. */
function findRole(
  payload: JWTPayload,
  { roleClaim = "dt_role", roles, defaultRole }: JwtOptions,
): Role {
  const claim = payload[roleClaim];
  const values = (Array.isArray(claim) ? claim : [claim]).map(String);
  const known = ROLES.filter((role) =>
    values.some((value) => (roles === undefined ? value === role : roles[value] === role)),
  );
  const role = known.at(-1) ?? defaultRole;
  if (role !== undefined) return role;
  throw new ProtocolError(
    "forbidden",
    `the claim ${roleClaim} of the token has no role of this server`,
  );
}
