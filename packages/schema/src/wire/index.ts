import type { A2aSpelling, A2aVersion } from "./a2a/a2a.js";
import { v0_3 } from "./a2a/v0-3.js";
import { v1_0 } from "./a2a/v1-0.js";

export type {
  A2aArtifact,
  A2aArtifactUpdate,
  A2aFrame,
  A2aMessage,
  A2aSpelling,
  A2aState,
  A2aStatus,
  A2aStatusUpdate,
  A2aTask,
  A2aVersion,
} from "./a2a/a2a.js";
export {
  decodeSendParams,
  decodeTaskParams,
  findOperation,
  methodNames,
  type Operation,
  type SendParams,
  type TaskParams,
} from "./a2a/operations.js";
export {
  activatesExtension,
  type ClientMessage,
  type ClientMessageAddress,
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
export { decodeTask, type EncodeTaskOptions, encodeTask } from "./canonical/task-codec.js";
export {
  parseRpcRequest,
  parseRpcResponse,
  type RpcId,
  type RpcRequest,
  rpcFailure,
  rpcIdOf,
  rpcRequest,
  rpcSuccess,
} from "./json-rpc.js";

/** How each version of A2A spells things. */
export const spellings: Readonly<Record<A2aVersion, A2aSpelling>> = { "0.3": v0_3, "1.0": v1_0 };
