import type { AuthenticateRequest } from "../access/auth/authenticate.js";
import { findClientAddress } from "../access/source/client-address.js";
import type { GuardedRequest } from "../access/source/loopback-guard.js";
import type { AuditLog } from "./audit-log.js";
import { recordRefusal } from "./record-refusal.js";

/** Returns an authentication that records who was let in and who was refused. */
export function auditAuthentication(
  authenticate: AuthenticateRequest,
  { audit, trustsProxy }: { readonly audit: AuditLog; readonly trustsProxy: boolean },
): AuthenticateRequest {
  return async (request) => {
    const address = findClientAddress(request, { trustsProxy });
    try {
      const caller = await authenticate(request);
      audit.recordSignIn(caller, address);
      return caller;
    } catch (reason) {
      recordRefusal(reason, { address }, audit);
      throw reason;
    }
  };
}

/** Records a request that the guard refused because of its `Host` or `Origin`. */
export function auditSource(
  request: GuardedRequest,
  reason: unknown,
  { audit, trustsProxy }: { readonly audit: AuditLog; readonly trustsProxy: boolean },
): void {
  const { headers, socket } = request;
  const address = socket && findClientAddress({ headers, socket }, { trustsProxy });
  recordRefusal(reason, { address }, audit);
}
