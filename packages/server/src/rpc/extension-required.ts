import { type ExtensionUris, ProtocolError } from "@dt/schema";

/** Creates the error for a client that did not activate the required extension. */
export function extensionRequired({ developmentTool }: ExtensionUris): ProtocolError {
  return new ProtocolError(
    "extension-required",
    `this agent needs clients to activate the extension ${developmentTool}`,
  );
}
