import { failAt, includesRole, ProtocolError, ROLES, type Role } from "@dt/schema";

/** A grant that the owner of a session wants to give. */
export interface WantedGrant {
  /** The user who gets the role; "" for a link. */
  readonly user: string;
  readonly role: string;
  /** Seconds until the grant expires; 0 for the default. */
  readonly ttlSeconds: number;
}

/** A checked grant. */
export interface CheckedGrant {
  readonly user: string;
  readonly role: Role;
  readonly lifetimeMs: number;
}

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const DEFAULT_TTL_SECONDS = 7 * DAY;
const MAX_TTL_SECONDS = 90 * DAY;
const MAX_USER_LENGTH = 512;

/** Roles that a grant can give. `admin` manages a server, so it is no role in a session. */
const GRANTED_ROLES = ROLES.filter((role) => role !== "admin");

/** Checks a grant that a caller wants to give. Throws `invalid-message` or `forbidden`. */
export function checkGrant(
  { user, role: wanted, ttlSeconds }: WantedGrant,
  granter: { readonly user: string; readonly role: Role },
): CheckedGrant {
  const role = GRANTED_ROLES.find((each) => each === wanted);
  if (role === undefined) failAt("role", `expected one of ${GRANTED_ROLES.join(", ")}`);
  if (!includesRole(granter.role, role)) {
    const problem = `the role ${role} cannot be given by a token with the role ${granter.role}`;
    throw new ProtocolError("forbidden", `${problem}; give at most ${granter.role}`);
  }
  if (user === granter.user) failAt("user", "this session is yours already; name another user");
  if (user.length > MAX_USER_LENGTH || /\p{Cc}/u.test(user)) {
    failAt(
      "user",
      `expected up to ${MAX_USER_LENGTH} characters, none of them a control character`,
    );
  }
  return { user, role, lifetimeMs: checkTtl(ttlSeconds || DEFAULT_TTL_SECONDS) * 1_000 };
}

function checkTtl(seconds: number): number {
  if (seconds >= MINUTE && seconds <= MAX_TTL_SECONDS) return seconds;
  return failAt("ttl_seconds", `expected a number from ${MINUTE} to ${MAX_TTL_SECONDS}`);
}
