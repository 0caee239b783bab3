import { type ExtensionUris, findExtension, type JsonObject } from "@dt/schema";
import { FaultySetup } from "../errors/setup-fault.js";

/** The extensions that an agent and this client have in common. */
export interface CommonExtensions {
  /** The URIs under which this agent writes. */
  readonly uris: ExtensionUris;
  /** Whether it has our session extension, a bonus: cursors, origins, more kinds. */
  readonly hasSession: boolean;
  /** What to activate. */
  readonly active: readonly string[];
}

/** Checks that an agent declares the extension in a version that fits; throws where it does not. (RFC-05) */
export function checkExtensions(card: JsonObject, uris: ExtensionUris): CommonExtensions {
  const developmentTool = findExtension(card, uris.developmentTool);
  if (!developmentTool.fits) {
    throw new FaultySetup({ type: "extension", why: developmentTool.reason });
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
