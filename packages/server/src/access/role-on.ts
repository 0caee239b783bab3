import type { Caller, Role } from "@dt/schema";

/** Finds the role of a caller in a session; undefined if the session belongs to another user. */
export function roleOn(
  { owner }: { readonly owner: string },
  { user, role }: Pick<Caller, "user" | "role">,
): Role | undefined {
  return owner === user ? role : undefined;
}
