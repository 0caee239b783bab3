import { type Caller, ProtocolError, type Role } from "@dt/schema";
import type { Clock } from "../../clock.js";
import type { GrantKey, GrantStore } from "../../store/grant-store.js";
import type { SessionRecord } from "../../store/session-store.js";
import { roleOn } from "../role-on.js";
import { decodeGuestCredential, encodeGuestCredential } from "./guest-credential.js";

/** Finds out who may use which session, and notices when a grant ends. */
export interface SessionAccess {
  /** Finds the role of a caller in a session; undefined if the session does not exist for the caller. */
  roleOn(session: AccessedSession, caller: AccessingCaller): Promise<Role | undefined>;
  /**
   * Gets the signal that aborts with the reason when a user who is not the owner loses access to a session. It is
   * watched until `gone` aborts.
   */
  watch(key: GrantKey, gone: AbortSignal): AbortSignal;
  /** Returns the caller with the role and the credential that a session's agent gets; undefined without access. */
  toSessionCaller(session: AccessedSession, caller: Caller): Promise<Caller | undefined>;
  /** Returns false for the credential of a user who is not the owner and has lost access to its session. */
  isCredentialAlive(credential: string): boolean;
  close(): void;
}

/** The session that a caller wants to use. */
export type AccessedSession = Pick<SessionRecord, "contextId" | "owner">;

type AccessingCaller = Pick<Caller, "user" | "role">;

/** Options of {@link createSessionAccess}. */
export interface SessionAccessOptions {
  readonly store: Pick<GrantStore, "findGrants">;
  readonly clock: Clock;
  /** Returns true until the credential of a request ends. */
  isCredentialAlive(credential: string): boolean;
  /** Called when a user who is not the owner has lost access to a session. */
  onEnded?(key: GrantKey): void;
  onFault(reason: unknown): void;
  /** Interval at which grants in use are checked. Default: 750 ms. */
  readonly checkMs?: number;
}

/** A user who uses the session of another one. */
interface Guest {
  readonly key: GrantKey;
  readonly ended: AbortController;
  /** Number of calls that are under way. */
  open: number;
  /** Value of `elapsedMs` at the last use. */
  usedAt: number;
}

const CHECK_MS = 750;
/** Time after which a guest without a call under way is no longer watched. */
const IDLE_MS = 30 * 60_000;

/**
 * Creates the access to sessions by the grants of a store. Grants are read with each request of a user who is not the
 * owner, so a grant works and ends at once. Calls that are under way end soon after, even if another process revoked
 * the grant.
 */
export function createSessionAccess(options: SessionAccessOptions): SessionAccess {
  const { store, clock, onEnded = () => {}, onFault, checkMs = CHECK_MS } = options;
  const guests = new Map<string, Guest>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const now = () => clock.now().toISOString();

  async function findRole(session: AccessedSession, caller: AccessingCaller) {
    if (session.owner === caller.user) return roleOn(session, caller, []);
    const key = { contextId: session.contextId, user: caller.user };
    return roleOn(session, caller, await store.findGrants([key], now()));
  }

  function use(key: GrantKey): Guest {
    const id = idOf(key);
    const guest = guests.get(id) ?? { key, ended: new AbortController(), open: 0, usedAt: 0 };
    guest.usedAt = clock.elapsedMs();
    guests.set(id, guest);
    checkLater();
    return guest;
  }

  function checkLater(): void {
    if (isClosed || timer !== undefined) return;
    timer = setTimeout(() => {
      check()
        .catch(onFault)
        .finally(() => {
          timer = undefined;
          if (guests.size > 0) checkLater();
        });
    }, checkMs).unref();
  }

  async function check(): Promise<void> {
    const watched = [...guests.values()];
    const found = await store.findGrants(
      watched.map(({ key }) => key),
      now(),
    );
    const valid = new Set(found.map(idOf));
    for (const guest of watched) {
      if (!valid.has(idOf(guest.key))) end(guest);
      else if (guest.open === 0 && clock.elapsedMs() - guest.usedAt >= IDLE_MS)
        guests.delete(idOf(guest.key));
    }
  }

  function end(guest: Guest): void {
    guests.delete(idOf(guest.key));
    guest.ended.abort(endOfAccess());
    onEnded(guest.key);
  }

  return {
    roleOn: findRole,
    watch(key, gone) {
      const guest = use(key);
      guest.open += 1;
      gone.addEventListener("abort", () => {
        guest.open -= 1;
        guest.usedAt = clock.elapsedMs();
      });
      return guest.ended.signal;
    },
    async toSessionCaller(session, caller) {
      const role = await findRole(session, caller);
      if (role === undefined) return undefined;
      if (session.owner === caller.user) return caller;
      const key = { contextId: session.contextId, user: caller.user };
      use(key);
      const { credential } = caller;
      return {
        ...caller,
        role,
        ...(credential !== undefined && { credential: encodeGuestCredential(key, credential) }),
      };
    },
    isCredentialAlive(credential) {
      const guest = decodeGuestCredential(credential);
      if (guest === undefined) return options.isCredentialAlive(credential);
      return guests.has(idOf(guest.key)) && options.isCredentialAlive(guest.credential);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function idOf({ contextId, user }: GrantKey): string {
  return JSON.stringify([contextId, user]);
}

function endOfAccess(): ProtocolError {
  return new ProtocolError(
    "forbidden",
    "your access to this session has ended; ask its owner to share it again",
  );
}
