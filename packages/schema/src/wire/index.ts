import type { A2aSpelling, A2aVersion } from "./a2a/a2a.js";
import { v0_3 } from "./a2a/v0-3.js";
import { v1_0 } from "./a2a/v1-0.js";

export type {
  A2aFrame,
  A2aMessage,
  A2aPushFrame,
  A2aSpelling,
  A2aStatusUpdate,
  A2aTask,
  A2aVersion,
} from "./a2a/a2a.js";
export {
  bindings,
  encodeTokenProtocol,
  findTokenProtocol,
  WEBSOCKET_SUBPROTOCOL,
} from "./a2a/bindings.js";
export { findA2aVersion } from "./a2a/find-version.js";
export {
  decodeListParams,
  decodeTaskPage,
  encodeListParams,
  encodeTaskPage,
  type ListParams,
} from "./a2a/list-params.js";
export {
  decodeFollowParams,
  decodeSendParams,
  decodeTaskParams,
  encodeFollowParams,
  findOperation,
  isSessionRest,
  methodNames,
  type Operation,
  type SendParams,
  sessionRest,
} from "./a2a/operations.js";
export { decodePlainAnswer, encodePlainQuestions } from "./a2a/plain-question.js";
export type { A2aPushAuthentication, A2aPushConfig, A2aTaskPushConfig } from "./a2a/push-config.js";
export { pushParams } from "./a2a/push-params.js";
export { encodeRestError } from "./a2a/rest-error.js";
export { serverTraits } from "./a2a/server-traits.js";
export {
  activatesExtension,
  type ClientMessage,
  decodeClientMessage,
  encodeClientMessage,
} from "./canonical/client-message-codec.js";
export {
  type Activation,
  decodeEvent,
  encodeEvent,
  isVisible,
  toTaskState,
} from "./canonical/event-codec.js";
export { decodeTask, encodeTask } from "./canonical/task-codec.js";
export { createTextFrameEncoder } from "./canonical/text-frame-codec.js";
export { isGeminiCard } from "./gemini/is-gemini-card.js";
export { encodeGuideFrame } from "./guide/guide-frame-codec.js";
export {
  decodeGuideMessage,
  type GuideMessage,
  isGuideParams,
} from "./guide/guide-message-codec.js";
export { encodeGuideResult } from "./guide/guide-result-codec.js";
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
  decodeRecording,
  encodeRecordedEvent,
  encodeRecordingHeader,
  type Recording,
  type RecordingHeader,
} from "./recording/recording-codec.js";

/** How each version of A2A spells things. */
export const spellings: Readonly<Record<A2aVersion, A2aSpelling>> = { "0.3": v0_3, "1.0": v1_0 };
