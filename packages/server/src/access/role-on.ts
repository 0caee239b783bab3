import { type Caller, includesRole, ROLES, type Role } from "@dt/schema";
import type { GrantRecord } from "../store/grant-store.js";

/**
 * Finds the role of a caller in a session, given the caller's valid grants on it; undefined if the session does not
 * exist for the caller. The owner has the role of the credential. Any other user has the lower of two roles: the role
 * of the credential, and the highest role of the grants.
 */
export function roleOn(
  { owner }: { readonly owner: string },
  { user, role }: Pick<Caller, "user" | "role">,
  grants: readonly Pick<GrantRecord, "role">[],
): Role | undefined {
  if (owner === user) return role;
  const granted = ROLES.findLast((each) => grants.some((grant) => grant.role === each));
  return granted === undefined ? undefined : lowerRole(role, granted);
}

function lowerRole(one: Role, other: Role): Role {
  return includesRole(one, other) ? other : one;
}
