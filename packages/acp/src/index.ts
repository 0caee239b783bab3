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
  EXTERNAL_AGENT_NAMES,
  type ExternalAgentChoice,
  readAgentVariables,
} from "./external/external-agents.js";
export {
  DEFAULT_LINE_LIMITS,
  type LineLimits,
  openJsonLines,
  type PeerBytes,
} from "./stdio/json-line-stream.js";
