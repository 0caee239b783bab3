import { encodeMessage, ProtocolError, parseMessage } from "@dt/schema";
import { decodeAccessParams } from "@dt/schema/wire";
import type { JoinedSession, SessionSharing } from "../../access/grants/sharing.js";
import type { GrantRecord } from "../../store/grant-store.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "../tasks/shared-session.js";
import { announceAccess } from "./announce-access.js";
import { recordShare } from "./record-share.js";

/** `session/access`: lists who may use a session, and who is connected. */
export async function readSessionAccess(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { contextId } = decodeAccessParams(params);
  const host = await findSession(contextId, context);
  if (host === undefined) {
    throw new ProtocolError("task-not-found", `context_id: there is no session ${contextId}`);
  }
  const { caller, shared, sessions, sharing } = context;
  const { owner } = host.session;
  const role = shared === undefined ? await sessions.roleOn(host.session, caller) : caller.role;
  const grants = (await sharing?.list(contextId)) ?? [];
  const result = encodeMessage("AccessList", {
    contextId,
    owner,
    role: role ?? "",
    grants: grants.map(encodeGrant),
    clients: host.log.subscribers
      .listClients()
      .map(({ user, name }) => ({ principal: user, name })),
  });
  return { type: "result", result };
}

/** `session/join`: gives the caller the role of a link. (TEAM-01) */
export async function joinSession(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { link } = parseMessage("JoinSessionRequest", params);
  const joined = await getSharing(context).join(link, context.caller);
  if (joined.isNew && joined.grant !== undefined) {
    recordShare("share-joined", joined.grant, context);
    await announceAccess("JOINED", joined.grant, context);
  }
  return { type: "result", result: encodeMessage("GrantedSession", encodeJoined(joined)) };
}

/** `session/shared`: lists sessions of other users that the caller may use. */
export async function listGranted(_params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const joined = await getSharing(context).listGranted(context.caller);
  const result = encodeMessage("GrantedSessions", { sessions: joined.map(encodeJoined) });
  return { type: "result", result };
}

/** Gets the sharing of a server. Throws on a live endpoint, which shares one session with all clients anyway. */
export function getSharing({ sharing }: RpcContext): SessionSharing {
  if (sharing !== undefined) return sharing;
  throw new ProtocolError(
    "unsupported-operation",
    "a live endpoint shares its one session with every client; pair a device instead",
  );
}

/** Encodes a grant for clients, without the digest of its link. */
export function encodeGrant({ id, user, role, createdAt, expiresAt, linkId }: GrantRecord) {
  return { grantId: id, user, role, createdAt, expiresAt, linkId };
}

function encodeJoined({ session, grant, role }: JoinedSession) {
  const { contextId, owner, lastPrompt = "", lastActiveAt } = session;
  return { contextId, owner, role, expiresAt: grant?.expiresAt ?? "", lastPrompt, lastActiveAt };
}
