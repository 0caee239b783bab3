import { type ExtensionUris, findExtension, type JsonObject } from "@dt/schema";
import { SetupFaultError } from "../errors/setup-fault.js";

/** Extensions that an agent and this client have in common. */
export interface CommonExtensions {
  /** URIs that this agent uses. */
  readonly uris: ExtensionUris;
  /** True if the agent has our session extension: cursors, origins, more kinds of events. */
  readonly hasSession: boolean;
  /** URIs to activate. */
  readonly active: readonly string[];
}

/**
 * Checks that an agent declares the RFC's extension in a compatible version. Otherwise throws, unless the
 * options accept agents without extensions.
 */
export function checkExtensions(
  card: JsonObject,
  uris: ExtensionUris,
  acceptsPlain = false,
): CommonExtensions {
  const developmentTool = findExtension(card, uris.developmentTool);
  if (!developmentTool.fits) {
    if (acceptsPlain) return { uris, hasSession: false, active: [] };
    throw new SetupFaultError({ type: "extension", why: developmentTool.reason });
  }
  const session = findExtension(card, uris.session);
  const active = [developmentTool.uri, ...(session.fits ? [session.uri] : [])];
  return {
    uris: {
      developmentTool: developmentTool.uri,
      session: session.fits ? session.uri : uris.session,
    },
    hasSession: session.fits,
    active,
  };
}
