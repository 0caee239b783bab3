import type { GrantRecord } from "../../store/grant-store.js";
import type { RpcContext } from "../rpc-context.js";

/** Records in the audit that the caller shared a session, took a grant back, or joined by a link. */
export function recordShare(
  kind: "share-created" | "share-joined" | "share-revoked",
  { contextId, user, role, expiresAt }: GrantRecord,
  { audit, caller }: Pick<RpcContext, "audit" | "caller">,
): void {
  audit?.record({
    kind,
    user: caller.user,
    name: caller.name,
    subject: contextId,
    detail: `${role} for ${user === "" ? "a link" : user} until ${expiresAt}`,
  });
}
