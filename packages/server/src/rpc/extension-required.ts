import { type ExtensionUris, ProtocolError } from "@dt/schema";

/** What a client is told that must activate the development-tool extension and did not. */
export function extensionRequired({ developmentTool }: ExtensionUris): ProtocolError {
  return new ProtocolError(
    "extension-required",
    `this agent needs clients to activate the extension ${developmentTool}`,
  );
}
