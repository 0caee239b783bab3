import { type Caller, ProtocolError, ROLES, type Role } from "@dt/schema";
import type { Clock } from "../../clock.js";
import type { GrantKey, GrantRecord, GrantStore } from "../../store/grant-store.js";
import type { SessionRecord } from "../../store/session-store.js";
import { createRepeatedCheck } from "../repeated-check.js";
import { roleOn } from "../role-on.js";
import { decodeGuestCredential, encodeGuestCredential } from "./guest-credential.js";

/** Finds out who may use which session, and notices when a grant ends. */
export interface SessionAccess {
  /**
   * Finds the role of a caller in a session; undefined if the caller has no access and must not learn that the session
   * exists. Throws `forbidden` if the caller had access before, because such a caller knows that the session exists.
   */
  roleOn(session: AccessedSession, caller: AccessingCaller): Promise<Role | undefined>;
  /**
   * Returns a signal that aborts when a guest loses access to a session. Its reason is the error for the guest. The
   * access is checked at intervals, at least until `gone` aborts.
   */
  watch(key: GrantKey, gone: AbortSignal): AbortSignal;
  /**
   * Returns the caller for the session's agent, with its role and credential in the session. If the caller has no
   * access, returns undefined or throws `forbidden`, like `roleOn`.
   */
  toSessionCaller(session: AccessedSession, caller: Caller): Promise<Caller | undefined>;
  /** Returns true until the credential ends. The credential of a guest ends at the latest with its grant. */
  isCredentialAlive(credential: string): boolean;
  close(): void;
}

/** The session that a caller wants to use. */
export type AccessedSession = Pick<SessionRecord, "contextId" | "owner">;

type AccessingCaller = Pick<Caller, "user" | "role">;

/** Options of {@link createSessionAccess}. */
export interface SessionAccessOptions {
  readonly store: Pick<GrantStore, "findGrants" | "hadGrant">;
  readonly clock: Clock;
  /** Returns true until the credential of a request ends. */
  isCredentialAlive(credential: string): boolean;
  /** Called when a guest has lost access to a session. */
  onEnded?(key: GrantKey): void;
  onFault(reason: unknown): void;
  /** Interval at which grants in use are checked. Default: 750 ms. */
  readonly checkMs?: number;
}

/** A user who uses the session of another user. */
interface Guest {
  readonly key: GrantKey;
  readonly ended: AbortController;
  /** Ids of the guest's valid grants, when the store was last read. */
  grantIds: ReadonlySet<string>;
  /** Number of calls that are under way. */
  open: number;
  /** Value of `elapsedMs` at the last use. */
  usedAt: number;
}

const CHECK_MS = 750;
/** Time after which a guest without a call under way is no longer watched. */
const IDLE_MS = 30 * 60_000;

/**
 * Creates the access to sessions by the grants of a store. The store is read for each request of a guest, so a new
 * grant works at once, and a revoked grant no longer works. Calls that are under way end soon after, even if another
 * process revoked the grant.
 */
export function createSessionAccess(options: SessionAccessOptions): SessionAccess {
  const { store, clock, onEnded = () => {}, onFault, checkMs = CHECK_MS } = options;
  const guests = new Map<string, Guest>();
  const repeated = createRepeatedCheck({
    intervalMs: checkMs,
    check,
    isNeeded: () => guests.size > 0,
    onFault,
  });

  const now = () => clock.now().toISOString();

  async function findGrants({ contextId, owner }: AccessedSession, { user }: AccessingCaller) {
    if (owner === user) return [];
    const grants = await store.findGrants([{ contextId, user }], now());
    if (grants.length === 0 && (await store.hadGrant({ contextId, user }))) throw endOfAccess();
    return grants;
  }

  function use(key: GrantKey): Guest {
    const id = idOf(key);
    const guest = guests.get(id) ?? {
      key,
      ended: new AbortController(),
      grantIds: new Set<string>(),
      open: 0,
      usedAt: 0,
    };
    guest.usedAt = clock.elapsedMs();
    guests.set(id, guest);
    repeated.start();
    return guest;
  }

  async function check(): Promise<void> {
    const watched = [...guests.values()];
    const found = await store.findGrants(
      watched.map(({ key }) => key),
      now(),
    );
    for (const guest of watched) {
      guest.grantIds = idsOf(found.filter((grant) => idOf(grant) === idOf(guest.key)));
      if (guest.grantIds.size === 0) end(guest);
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
    roleOn: async (session, caller) => roleOn(session, caller, await findGrants(session, caller)),
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
      if (session.owner === caller.user) return caller;
      const grants = await findGrants(session, caller);
      const role = roleOn(session, caller, grants);
      const grant = findHighest(grants);
      if (role === undefined || grant === undefined) return undefined;
      const key = { contextId: session.contextId, user: caller.user };
      const guest = use(key);
      guest.grantIds = idsOf(grants);
      const own = caller.credential;
      if (own === undefined) return { ...caller, role };
      const credential = encodeGuestCredential({ key, grantId: grant.id, credential: own });
      return { ...caller, role, credential };
    },
    isCredentialAlive(credential) {
      const guest = decodeGuestCredential(credential);
      if (guest === undefined) return options.isCredentialAlive(credential);
      const known = guests.get(idOf(guest.key));
      const hasGrant = known?.grantIds.has(guest.grantId) === true;
      return hasGrant && options.isCredentialAlive(guest.credential);
    },
    close: repeated.close,
  };
}

function idOf({ contextId, user }: GrantKey): string {
  return JSON.stringify([contextId, user]);
}

function idsOf(grants: readonly Pick<GrantRecord, "id">[]): ReadonlySet<string> {
  return new Set(grants.map(({ id }) => id));
}

/** Finds the grant with the highest role. */
function findHighest(grants: readonly GrantRecord[]): GrantRecord | undefined {
  const role = ROLES.findLast((each) => grants.some((grant) => grant.role === each));
  return grants.find((grant) => grant.role === role);
}

function endOfAccess(): ProtocolError {
  return new ProtocolError(
    "forbidden",
    "your access to this session has ended; ask its owner to share it again",
  );
}
