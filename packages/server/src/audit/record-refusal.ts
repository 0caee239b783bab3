import { isProtocolError } from "@dt/schema";
import type { AuditEntry } from "../store/audit-store.js";
import type { AuditLog } from "./audit-log.js";

/** Codes of errors that deny access. Other errors are mistakes of clients or faults of the server. */
const REFUSALS: readonly string[] = ["unauthenticated", "forbidden", "workspace-refused"];

/** Records an error if it is a refusal. */
export function recordRefusal(
  reason: unknown,
  {
    address,
    ...about
  }: Partial<Pick<AuditEntry, "user" | "name" | "subject">> & {
    readonly address?: string | undefined;
  },
  audit: Pick<AuditLog, "record">,
): void {
  if (!isProtocolError(reason) || !REFUSALS.includes(reason.code)) return;
  audit.record({
    kind: "refusal",
    ...about,
    ...(address !== undefined && { address }),
    detail: reason.message,
  });
}
