export type {
  A2aFrame,
  A2aMessage,
  A2aSpelling,
  A2aTask,
  A2aVersion,
} from "./a2a/a2a.js";
export {
  BINDINGS,
  encodeTokenProtocol,
  findTokenProtocol,
  PROPOSED_SUBPROTOCOL,
  WEBSOCKET_SUBPROTOCOLS,
} from "./a2a/bindings.js";
export {
  encodeBareError,
  encodeRestError,
  encodeRpcStatus,
  type RpcStatus,
} from "./a2a/errors/rest-error.js";
export { findA2aVersion, findCardVersion, findErrorVersion } from "./a2a/find-version.js";
export {
  decodeListParams,
  decodeTaskPage,
  encodeListParams,
  encodeTaskPage,
  type ListParams,
} from "./a2a/list-params.js";
export {
  decodeAccessParams,
  decodeFollowParams,
  decodeSendParams,
  decodeTaskParams,
  encodeFollowParams,
  findOperation,
  isSessionIdle,
  METHOD_NAMES,
  type Operation,
  SESSION_IDLE,
} from "./a2a/operations.js";
export { decodePlainAnswer } from "./a2a/plain-question.js";
export { PROTO_V0_3 } from "./a2a/proto-v0-3/proto-v0-3.js";
export type {
  A2aPushAuthentication,
  A2aPushConfig,
  A2aTaskPushConfig,
} from "./a2a/push/push-config.js";
export { pushParams } from "./a2a/push/push-params.js";
export { SERVER_TRAITS } from "./a2a/server-traits.js";
export { spellings } from "./a2a/spellings.js";
export { DEFAULT_DIALECT } from "./canonical/canonical-dialect.js";
export {
  activatesExtension,
  type ClientMessage,
  decodeClientMessage,
  encodeClientMessage,
} from "./canonical/client-message-codec.js";
export {
  type Activation,
  encodeEvent,
  isVisible,
  toTaskState,
} from "./canonical/event-codec.js";
export {
  decodeEventFrame,
  type EventFrame,
  encodeEventFrame,
} from "./canonical/event-frame-codec.js";
export { decodeTask, encodeTask } from "./canonical/task-codec.js";
export type {
  Dialect,
  DialectVariant,
  Encoded,
  ReceivedMessage,
  StreamFrame,
} from "./dialect.js";
export { createDialects, type Dialects } from "./dialect-table.js";
export { isGeminiCard } from "./gemini/is-gemini-card.js";
export { guideDialect } from "./guide/guide-dialect.js";
export { decodeGuideTask } from "./guide/guide-task-codec.js";
export {
  parseJsonText,
  parseRpcRequest,
  parseRpcResponse,
  parseRpcText,
  type RpcId,
  type RpcRequest,
  rpcFailure,
  rpcIdOf,
  rpcRequest,
  rpcSuccess,
} from "./json-rpc.js";
export {
  decodeNotesCommand,
  encodeNotesCommandEnd,
  encodeNotesCommands,
  type NotesCommand,
} from "./notes/notes-command-codec.js";
export { notesDialect } from "./notes/notes-dialect.js";
export { encodeNotesMetadata } from "./notes/notes-metadata-codec.js";
export {
  decodeRecording,
  encodeRecordedEvent,
  encodeRecordingHeader,
  type Recording,
  type RecordingHeader,
} from "./recording/recording-codec.js";
export { createCoderAgentBus, emitCoderAgentEvents } from "./reference/reference-bus.js";
export { referenceDialect } from "./reference/reference-dialect.js";
export { CODER_AGENT_EVENTS, type CoderAgentMessage } from "./reference/reference-events.js";
export {
  decodeReferenceTask,
  type ReferenceTaskRequest,
} from "./reference/reference-settings-codec.js";
export {
  encodeCreatedTask,
  encodeListedTask,
  type ListedTask,
} from "./reference/reference-task-codec.js";
