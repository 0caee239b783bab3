import { checkShare, encodeMessage, failAt, ProtocolError, parseMessage } from "@dt/schema";
import { checkGrant } from "../../access/grants/check-grant.js";
import type { SessionHost } from "../../sessions/session-host.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "../tasks/shared-session.js";
import { announceAccess } from "./announce-access.js";
import { encodeGrant, getSharing } from "./granted-session.js";
import { recordShare } from "./record-share.js";

/** `session/share`: gives a role in a session of the caller to a user, or to whoever holds a link. (TEAM-01) */
export async function shareSession(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const sharing = getSharing(context);
  const request = parseMessage("ShareSessionRequest", params);
  const { session } = await getOwnSession(request.contextId, context);
  const { user, role, lifetimeMs } = checkGrant(request, context.caller);
  const wanted = { with: user === "" ? "link" : "user", role, lifetimeMs } as const;
  checkShare(context.policy ?? {}, wanted);
  const { grant, link } = await sharing.share(session, request, context.caller);
  recordShare("share-created", grant, context);
  await announceAccess("GRANTED", grant, context);
  const result = encodeMessage("ShareSessionResponse", { grant: encodeGrant(grant), link });
  return { type: "result", result };
}

/** `session/unshare`: takes back a grant, or all grants of a user. (TEAM-01) */
export async function unshareSession(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const sharing = getSharing(context);
  const { contextId, grantId, user } = parseMessage("UnshareSessionRequest", params);
  if ((grantId === "") === (user === ""))
    failAt("grant_id", "expected either a grant_id or a user");
  const { session } = await getOwnSession(contextId, context);
  const ended = await sharing.unshare(session, { grantId, user });
  if (ended.length === 0) {
    const which =
      user === "" ? `grant_id: there is no grant ${grantId}` : `user: ${user} has no grant`;
    throw new ProtocolError("task-not-found", `${which} on this session`);
  }
  for (const grant of ended) {
    recordShare("share-revoked", grant, context);
    await announceAccess("ENDED", grant, context);
  }
  const result = encodeMessage("UnshareSessionResponse", { ended: ended.length });
  return { type: "result", result };
}

/** Gets a session that the caller owns. Throws `forbidden` if it is only shared with the caller. */
async function getOwnSession(contextId: string, context: RpcContext): Promise<SessionHost> {
  const host = await findSession(contextId, context);
  if (host === undefined) {
    throw new ProtocolError("task-not-found", `context_id: there is no session ${contextId}`);
  }
  if (host.session.owner === context.caller.user) return host;
  throw new ProtocolError(
    "forbidden",
    `only ${host.session.owner}, who owns the session, can share it; ask them`,
  );
}
