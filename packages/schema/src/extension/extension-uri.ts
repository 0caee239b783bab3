/** The RFC's extension, as its sample card names it. */
export const DEVELOPMENT_TOOL_URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

/** Our own extension of a session: cursors, origins, and kinds that the RFC does not have. */
export const SESSION_URI = "urn:dt:extension:session:v0.1";

/** The URIs that a deployment speaks under; each can be another one than ours. */
export interface ExtensionUris {
  readonly developmentTool: string;
  readonly session: string;
}

/** The URIs that everything uses unless told otherwise. */
export const defaultExtensionUris: ExtensionUris = {
  developmentTool: DEVELOPMENT_TOOL_URI,
  session: SESSION_URI,
};
