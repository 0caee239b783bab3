import { ProtocolError } from "@dt/schema";
import type { RpcContext } from "./rpc-context.js";

/** Throws if the client did not activate the required extension. (A2A 1.0 §3.3.4) */
export function checkRequiredExtension({
  isExtensionRequired,
  dialect,
  activation,
}: Pick<RpcContext, "isExtensionRequired" | "dialect" | "activation">): void {
  if (!isExtensionRequired || dialect.traits.meetsRequiredExtension) return;
  throw new ProtocolError(
    "extension-required",
    `this agent needs clients to activate the extension ${activation.uris.developmentTool}`,
  );
}
