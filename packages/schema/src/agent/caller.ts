import type { Origin } from "../gen/dt_session/event.js";

/** The roles of callers. Each role includes the rights of the roles before it. */
export const ROLES = ["observe", "prompt", "approve", "admin"] as const;

/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/** Returns true if a role includes the rights of the wanted role. */
export function includesRole(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/**
 * The sender of a request, as the server authenticated it. Sessions, receipts and remembered answers
 * belong to the user; a permission mode belongs to the credential and ends with it.
 */
export interface Caller {
  /** Stable id of the person or service, e.g. "terminal", "local", or the user of a token. */
  readonly user: string;
  /**
   * Identifies the token, socket, client id or terminal that sent the request; undefined for an anonymous
   * request.
   */
  readonly credential?: string;
  /** Name to show. Clients choose it, so no right depends on it. */
  readonly name: string;
  readonly role: Role;
  /** Class of limits and budgets that applies to the user. */
  readonly tier?: string;
}

/** Converts a caller to the form in which events name their sender. */
export function toOrigin({ user, name }: Pick<Caller, "user" | "name">): Origin {
  return { principal: user, name };
}

/**
 * HTTP header that carries a client's id: a random value of at least 128 bits, the same with every
 * request of one client. It is a secret between client and server.
 */
export const CLIENT_ID_HEADER = "X-DT-Client-Id";
