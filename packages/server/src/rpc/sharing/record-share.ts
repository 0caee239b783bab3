import type { GrantRecord } from "../../store/grant-store.js";
import type { RpcContext } from "../rpc-context.js";

/** Records in the audit that the caller shared a session, or took a grant back. */
export function recordShare(
  kind: "share-created" | "share-revoked",
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
