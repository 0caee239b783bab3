import { includesRole, type Role } from "../agent/caller.js";
import { ProtocolError } from "../errors/protocol-error.js";
import type { ServerPolicy } from "./server-policy.js";

/** A share that an owner wants to give. */
export interface WantedShare {
  /** The recipient: one user, or everybody who has the link. */
  readonly with: "user" | "link";
  readonly role: Role;
  /** Time until the share expires; undefined if it never does. */
  readonly lifetimeMs?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Throws `forbidden` if a policy does not allow a share. */
export function checkShare({ sharing = {} }: ServerPolicy, share: WantedShare): void {
  const { users = true, links = true, maxRole, maxDays } = sharing;
  if (share.with === "user" && !users) refuse("does not allow sharing with users");
  if (share.with === "link" && !links) refuse("does not allow sharing by link");
  if (maxRole !== undefined && !includesRole(maxRole, share.role)) {
    refuse(`allows at most the role ${maxRole} in a share`);
  }
  const { lifetimeMs = Number.POSITIVE_INFINITY } = share;
  if (maxDays !== undefined && lifetimeMs > maxDays * DAY_MS) {
    refuse(`allows shares of at most ${maxDays} ${maxDays === 1 ? "day" : "days"}`);
  }
}

function refuse(rule: string): never {
  throw new ProtocolError("forbidden", `the policy of this server ${rule}`);
}
