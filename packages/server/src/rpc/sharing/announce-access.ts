import { type AccessAction, type AccessChange, toOrigin } from "@dt/schema";
import type { GrantRecord } from "../../store/grant-store.js";
import type { RpcContext } from "../rpc-context.js";

/**
 * Announces a change of access to the subscribers of a session. The change is stored already, so if the session cannot
 * be opened or written, only the announcement is lost.
 */
export async function announceAccess(
  action: AccessAction,
  { contextId, user, role, expiresAt }: GrantRecord,
  { sessions, caller }: RpcContext,
): Promise<void> {
  const change: AccessChange = {
    action,
    user,
    role,
    expiresAt: action === "ENDED" ? "" : expiresAt,
    origin: toOrigin(caller),
  };
  await sessions.announceAccess(contextId, change);
}
