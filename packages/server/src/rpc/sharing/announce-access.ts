import { type AccessAction, type AccessChange, toOrigin } from "@dt/schema";
import type { GrantRecord } from "../../store/grant-store.js";
import type { RpcContext } from "../rpc-context.js";

/**
 * Tells everybody in a session that its access has changed. The change itself is stored already, so a session that
 * cannot be opened or written only misses the announcement.
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
