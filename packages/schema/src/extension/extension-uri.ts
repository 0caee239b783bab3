/** URI of the RFC's extension, as in the sample card of the RFC. */
export const DEVELOPMENT_TOOL_URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

/** URI of our session extension: cursors, origins, and kinds that the RFC does not have. */
export const SESSION_URI = "urn:dt:extension:session:v0.1";

/** URIs of the two extensions in one deployment. A deployment may replace the default URIs. */
export interface ExtensionUris {
  readonly developmentTool: string;
  readonly session: string;
}

/** Default URIs. */
export const DEFAULT_EXTENSION_URIS: ExtensionUris = {
  developmentTool: DEVELOPMENT_TOOL_URI,
  session: SESSION_URI,
};
