import type { Caller, Role } from "@dt/schema";

/** Finds the rights of a caller on a session; undefined if the session does not exist for them. */
export function roleOn(
  { owner }: { readonly owner: string },
  { user, role }: Pick<Caller, "user" | "role">,
): Role | undefined {
  return owner === user ? role : undefined;
}
