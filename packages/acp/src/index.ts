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
  DEFAULT_LINE_LIMITS,
  type LineLimits,
  openJsonLines,
  type PeerBytes,
} from "./stdio/json-line-stream.js";
