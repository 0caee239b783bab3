export type {
  EditorHost,
  EditorSession,
  ListedSessions,
  OpenRequest,
  SessionListQuery,
  TerminalSetup,
} from "./agent/editor-host.js";
export {
  type EditorConnection,
  type ServeEditorOptions,
  serveEditor,
} from "./agent/serve-editor.js";
export {
  createExternalAgent,
  type ExternalAgentChoice,
  readAgentVariables,
} from "./external/external-agents.js";
export type {
  LineLimits,
  PeerBytes,
} from "./stdio/json-line-stream.js";
