import { ROLES, type Role, SetupError } from "@dt/schema";
import type { TokenStore } from "../../store/token-store.js";
import { createTokenParts, digestSecret, encodeToken } from "./token-format.js";

/** The token to create. */
export interface NewToken {
  readonly user: string;
  /** Name of the device or program that gets the token. */
  readonly name: string;
  readonly role: Role;
  /** Class of limits and budgets that applies to the user. */
  readonly tier?: string;
  readonly now: Date;
  /** Time after which the token ends by itself. Default: never. */
  readonly lifetimeMs?: number;
}

/**
 * Pattern of a user, a name and a tier. It has no slash, because a slash separates user and name, and no
 * colon, because only users of identity providers have one.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]{0,63}$/u;

/** The user who owns live sessions in a terminal. No token may belong to this user. */
const RESERVED = "terminal";

/**
 * Creates a token and stores its digest. Returns the token, which cannot be read again later. Throws `SetupError` if a
 * field is not valid, or if the user has a valid token of that name.
 */
export async function issueToken(
  store: Pick<TokenStore, "createToken">,
  { user, name, role, tier, now, lifetimeMs }: NewToken,
): Promise<string> {
  checkName("user", user);
  checkName("name", name);
  if (tier !== undefined) checkName("tier", tier);
  if (user === RESERVED) throw new SetupError(`user: ${user} is reserved; choose another one`);
  if (!ROLES.includes(role)) {
    throw new SetupError(`role: expected one of ${ROLES.join(", ")}, got ${role}`);
  }
  const parts = createTokenParts();
  const isNew = await store.createToken({
    id: parts.id,
    user,
    name,
    role,
    ...(tier !== undefined && { tier }),
    digest: digestSecret(parts.secret),
    createdAt: now.toISOString(),
    ...(lifetimeMs !== undefined && {
      expiresAt: new Date(now.getTime() + lifetimeMs).toISOString(),
    }),
  });
  if (isNew) return encodeToken(parts);
  throw new SetupError(`${user} has a token named ${name}; revoke ${user}/${name} first`);
}

function checkName(field: string, value: string): void {
  if (NAME.test(value)) return;
  throw new SetupError(
    `${field}: expected up to 64 letters, digits and . _ @ + -, beginning with a letter or a digit`,
  );
}
