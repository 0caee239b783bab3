import { type AccessChange, showControlOnLine } from "@dt/schema";

/** Describes, in one line, a change of the access to the session. */
export function describeAccess({ action, user, role, expiresAt, origin }: AccessChange): string {
  const by = origin?.name || origin?.principal || "someone";
  const until = expiresAt === "" ? "" : ` until ${expiresAt.slice(0, 16).replace("T", " ")}Z`;
  return showControlOnLine(`⇄ ${by} ${whatOf({ action, user, role })}${until}`);
}

function whatOf({ action, user, role }: Pick<AccessChange, "action" | "user" | "role">): string {
  switch (action) {
    case "JOINED":
      return `joined by a link with the role ${role}`;
    case "ENDED":
      return user === "" ? "took a link back" : `took back the access of ${user}`;
    default:
      return user === "" ? `created a link with the role ${role}` : `gave ${user} the role ${role}`;
  }
}
