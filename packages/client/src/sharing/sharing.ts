import {
  type AccessGrant,
  type AccessList,
  failAt,
  type GrantedSession,
  type JsonObject,
  type MessageName,
  parseMessage,
} from "@dt/schema";
import type { Operation } from "@dt/schema/wire";
import type { CallOptions } from "../task/call-options.js";
import { type Conversation, request } from "../task/channel/requests.js";

/** Options of {@link Sharing.share}. */
export interface ShareOptions extends CallOptions {
  /** The user who gets the role. Default: everybody who has the new link. */
  readonly user?: string;
  readonly role: "observe" | "prompt" | "approve";
  /** Seconds until the grant expires. Default: a week. */
  readonly ttlSeconds?: number;
}

/** A new grant, and its link if it names no user. */
export interface Share {
  readonly grant: AccessGrant;
  /**
   * Secret of the link; absent if the grant names a user. The secret cannot be read again later. Put it
   * after the `#` of an address, never into the path or the query, because servers log both.
   */
  readonly link?: string;
}

/** Names the grants that {@link Sharing.unshare} ends: one grant, or all grants of a user. */
export type Unshared = { readonly grantId: string } | { readonly user: string };

/** Shares sessions with other users. The agent must have our session extension and authenticate its users. */
export interface Sharing {
  /** Gives a user, or everybody who has a new link, a role in a session of this client's user. */
  share(contextId: string, options: ShareOptions): Promise<Share>;
  /**
   * Withdraws grants; returns their number. If the grant of a link is withdrawn, the grants of everybody
   * who joined by the link end too.
   */
  unshare(contextId: string, which: Unshared, options?: CallOptions): Promise<number>;
  /** Lists the users who may use a session, and the clients that are connected. */
  access(contextId: string, options?: CallOptions): Promise<AccessList>;
  /** Joins a session by the secret of a link. */
  join(link: string, options?: CallOptions): Promise<GrantedSession>;
  /** Lists the sessions that others share with this client's user. */
  list(options?: CallOptions): Promise<readonly GrantedSession[]>;
}

/** Creates the methods for sharing. */
export function createSharing(conversation: Conversation): Sharing {
  async function call<TName extends MessageName>(
    operation: Operation,
    name: TName,
    params: JsonObject,
    options: CallOptions = {},
  ) {
    return parseMessage(
      name,
      await request(conversation, operation, params, options.signal),
      "result",
    );
  }

  return {
    async share(contextId, { user = "", role, ttlSeconds = 0, ...options }) {
      const params = { context_id: contextId, user, role, ttl_seconds: ttlSeconds };
      const { grant, link } = await call("share-session", "ShareSessionResponse", params, options);
      if (grant === undefined) failAt("result.grant", "required");
      return { grant, ...(link !== "" && { link }) };
    },
    async unshare(contextId, which, options) {
      const named = "user" in which ? which : { grant_id: which.grantId };
      const params = { context_id: contextId, ...named };
      return (await call("unshare-session", "UnshareSessionResponse", params, options)).ended;
    },
    access: (contextId, options) =>
      call("session-access", "AccessList", { context_id: contextId }, options),
    join: (link, options) => call("join-session", "GrantedSession", { link }, options),
    list: async (options) => (await call("list-granted", "GrantedSessions", {}, options)).sessions,
  };
}
