import { type ExtensionUris, findExtension, type JsonObject } from "@dt/schema";
import { SetupError } from "../errors/setup-error.js";

/** The extensions that an agent and this client have in common. */
export interface CommonExtensions {
  /** The URIs under which this agent writes. */
  readonly uris: ExtensionUris;
  /** Whether it has our session extension, a bonus: cursors, origins, more kinds. */
  readonly hasSession: boolean;
  /** What to activate. */
  readonly active: readonly string[];
}

/** Checks that an agent declares the extension in a version that fits; throws what to do. (RFC-05) */
export function checkExtensions(card: JsonObject, uris: ExtensionUris): CommonExtensions {
  const developmentTool = findExtension(card, uris.developmentTool);
  if (!developmentTool.fits) {
    throw new SetupError(
      `${developmentTool.reason}; use an agent and a @dt/client of the same version, or name the agent's URI in \`uris\``,
    );
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
