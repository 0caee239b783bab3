import { type Caller, ProtocolError } from "@dt/schema";
import type { Clock } from "../../clock.js";
import type { GrantRecord, GrantStore } from "../../store/grant-store.js";
import type { SessionStore, StoredSession } from "../../store/session-store.js";
import { createTokenParts, digestSecret, hasDigest } from "../auth/token-format.js";
import { roleOn } from "../role-on.js";
import { checkGrant, type WantedGrant } from "./check-grant.js";
import { isValidGrant } from "./grant-validity.js";
import { decodeLink, encodeLink } from "./link-format.js";

/** Gives and takes back grants on the sessions of a store. */
export interface SessionSharing {
  /** Gives a role in a session of the caller to a user, or to whoever holds a link. */
  share(session: SharedByOwner, wanted: WantedGrant, caller: Caller): Promise<NewGrant>;
  /**
   * Takes back a grant, or all grants of a user. With the grant of a link, the grants of those who joined by
   * this link end too. Returns all grants that have ended.
   */
  unshare(
    session: SharedByOwner,
    which: { readonly grantId: string; readonly user: string },
  ): Promise<readonly GrantRecord[]>;
  /** Lists the valid grants of a session, the oldest first. */
  list(contextId: string): Promise<readonly GrantRecord[]>;
  /**
   * Gives the caller the role of a link in the link's session. Throws `task-not-found` if the link is not
   * valid, and `agent-busy` if the session has too many grants.
   */
  join(link: string, caller: Caller): Promise<JoinedSession>;
  /** Lists sessions of other users that the caller may use, the newest grant first. */
  listGranted(caller: Caller): Promise<readonly JoinedSession[]>;
}

type SharedByOwner = Pick<StoredSession, "contextId">;

/** A grant, and the secret of its link if it has one. */
export interface NewGrant {
  readonly grant: GrantRecord;
  /** "" if the grant names a user. */
  readonly link: string;
}

/** A session that a caller may use, with the caller's role. */
export interface JoinedSession {
  readonly session: StoredSession;
  /** The caller's grant that expires last; undefined for the owner, who needs no grant. */
  readonly grant: GrantRecord | undefined;
  readonly role: Caller["role"];
  /** True if the grant was given by this call. */
  readonly isNew: boolean;
}

/** Maximum number of valid grants on one session. */
export const MAX_GRANTS = 100;
/** Maximum number of sessions in a list. */
const MAX_LISTED = 100;

/** Creates the sharing of a server. */
export function createSessionSharing(
  store: GrantStore & Pick<SessionStore, "findSession">,
  clock: Pick<Clock, "now">,
): SessionSharing {
  const now = () => clock.now().toISOString();

  async function join(link: string, caller: Caller): Promise<JoinedSession> {
    const at = now();
    const found = await findLink(link, store);
    const session = found && (await store.findSession(found.contextId));
    if (found === undefined || session === undefined || !isValidGrant(found, at)) throw badLink();
    const { contextId, role: granted } = found;
    if (session.owner === caller.user) return toJoined(session, caller, []);
    const known = await store.findGrants([{ contextId, user: caller.user }], at);
    if (known.some(({ linkId }) => linkId === found.id)) return toJoined(session, caller, known);
    const { id } = createTokenParts();
    const grant = {
      id,
      contextId,
      user: caller.user,
      role: granted,
      digest: "",
      linkId: found.id,
      createdAt: at,
      expiresAt: found.expiresAt,
    };
    if (!(await store.createGrant(grant, { maxPerSession: MAX_GRANTS }))) {
      const isFull = isValidGrant((await store.findGrant(found.id)) ?? { expiresAt: "" }, now());
      throw isFull ? tooManyGrants() : badLink();
    }
    return { ...toJoined(session, caller, [...known, grant]), isNew: true };
  }

  return {
    async share({ contextId }, wanted, caller) {
      const { user, role, lifetimeMs } = checkGrant(wanted, caller);
      const parts = createTokenParts();
      const createdAt = clock.now();
      const grant: GrantRecord = {
        id: parts.id,
        contextId,
        user,
        role,
        digest: user === "" ? digestSecret(parts.secret) : "",
        linkId: "",
        createdAt: createdAt.toISOString(),
        expiresAt: new Date(createdAt.getTime() + lifetimeMs).toISOString(),
      };
      if (!(await store.createGrant(grant, { maxPerSession: MAX_GRANTS }))) throw tooManyGrants();
      return { grant, link: user === "" ? encodeLink(parts) : "" };
    },
    async unshare({ contextId }, { grantId, user }) {
      const grants = await store.listGrants(contextId, now());
      const named = grants.filter((grant) =>
        user === "" ? grant.id === grantId : grant.user === user,
      );
      for (const { id } of named) await store.revokeGrant({ contextId, id }, now());
      const ids = new Set(named.map(({ id }) => id));
      return grants.filter(({ id, linkId }) => ids.has(id) || ids.has(linkId));
    },
    list: (contextId) => store.listGrants(contextId, now()),
    join,
    async listGranted(caller) {
      const grants = await store.listGrantsOf(caller.user, now());
      const ids = [...new Set(grants.map(({ contextId }) => contextId))].slice(0, MAX_LISTED);
      const sessions = await Promise.all(ids.map((contextId) => store.findSession(contextId)));
      return sessions.flatMap((session) => {
        if (session === undefined || session.owner === caller.user) return [];
        const own = grants.filter(({ contextId }) => contextId === session.contextId);
        return [toJoined(session, caller, own)];
      });
    },
  };
}

function toJoined(
  session: StoredSession,
  caller: Caller,
  grants: readonly GrantRecord[],
): JoinedSession {
  const grant = grants.reduce<GrantRecord | undefined>(
    (last, each) => (last === undefined || each.expiresAt > last.expiresAt ? each : last),
    undefined,
  );
  return { session, grant, role: roleOn(session, caller, grants) ?? "observe", isNew: false };
}

async function findLink(
  text: string,
  store: Pick<GrantStore, "findGrant">,
): Promise<GrantRecord | undefined> {
  const parts = decodeLink(text);
  const grant = parts && (await store.findGrant(parts.id));
  if (parts === undefined || grant === undefined || grant.user !== "") return undefined;
  return hasDigest(parts.secret, grant.digest) ? grant : undefined;
}

function badLink(): ProtocolError {
  return new ProtocolError(
    "task-not-found",
    "the link is not valid, has expired or was taken back; ask the owner of the session for another one",
  );
}

function tooManyGrants(): ProtocolError {
  return new ProtocolError(
    "agent-busy",
    `the session has ${MAX_GRANTS} grants already; its owner must take one back first`,
  );
}
