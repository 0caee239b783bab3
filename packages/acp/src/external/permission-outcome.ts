import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk";
import type { ExternalVerdict } from "@dt/schema";

/**
 * Chooses the answer to a permission request. dt's session remembers "always" answers, so the agent gets
 * `allow_once` for each permitted call. If the agent does not offer `allow_once`, the call is refused. Pure.
 */
export function choosePermission(
  options: readonly PermissionOption[],
  verdict: ExternalVerdict,
): RequestPermissionOutcome {
  if (verdict === "withdrawn") return { outcome: "cancelled" };
  const kinds =
    verdict === "allowed"
      ? (["allow_once", "reject_once", "reject_always"] as const)
      : (["reject_once", "reject_always"] as const);
  const chosen = kinds
    .flatMap((kind) => options.find((option) => option.kind === kind) ?? [])
    .at(0);
  if (chosen === undefined) return { outcome: "cancelled" };
  return { outcome: "selected", optionId: chosen.optionId };
}
