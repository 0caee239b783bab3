import { ERROR_CODES } from "../../errors/error-codes.js";
import { isProtocolError } from "../../errors/protocol-error.js";
import type { EventKind } from "../../event/agent-event.js";
import type { TaskView } from "../../event/task-view.js";
import { isObject } from "../../validation/message-json.js";
import type { A2aFrame } from "../a2a/a2a.js";
import { V0_3 } from "../a2a/v0-3.js";
import type {
  Dialect,
  DialectFamily,
  DialectTraits,
  EncodedError,
  StreamFrame,
  StreamStart,
} from "../dialect.js";
import { type RpcId, rpcFailure } from "../json-rpc.js";
import { decodeGeminiMessage, isGeminiParams } from "./gemini-request-codec.js";
import { encodeGeminiEvent } from "./gemini-stream.js";
import { type GeminiStreamMemory, startGeminiMemory } from "./gemini-stream-memory.js";
import { buildGeminiTask } from "./gemini-task-codec.js";

const NAME = "gemini";

const TRAITS: DialectTraits = {
  continuesEndedTasks: true,
  refusesCanceledTasks: true,
  requiresSettings: false,
  meetsRequiredExtension: false,
  answersInText: false,
  hasOneTask: false,
  staysOpenAtQuestions: false,
  repeatsFromTask: false,
  framesNameSession: false,
  answersTaskMethods: true,
};

/** Kinds of events after which a push receiver gets the task. Other events are not pushed. */
const PUSHED: readonly EventKind[] = ["STATE_CHANGE", "TOOL_CALL_UPDATE"];

/** The dialect of gemini-cli's a2a-server: A2A 0.3 with `coderAgent` in the metadata. */
export const geminiDialect: Dialect<GeminiStreamMemory> = {
  name: NAME,
  key: NAME,
  traits: TRAITS,
  sharesFrames: false,
  chunksReply: false,
  decodeMessage: decodeGeminiMessage,
  start(view, stream) {
    const frames = startFrames(view, stream).map(encodeFrame);
    return { memory: startGeminiMemory(view, stream), frames: withCursor(frames, view) };
  },
  encodeEvent(memory, event, at) {
    const encoded = encodeGeminiEvent(memory, event, at);
    return { memory: encoded.memory, frames: withCursor(encoded.frames.map(encodeFrame), event) };
  },
  encodeTask: (view, options) => V0_3.encodeTask(buildGeminiTask(view, options)),
  encodeReply: ({ task }, options) => V0_3.encodeTask(buildGeminiTask(task, options)),
  encodeError,
  encodePush: ({ kind }) => ({ type: PUSHED.includes(kind) ? "task" : "nothing" }),
  encodePushTask: (view) => V0_3.encodeTask(buildGeminiTask(view, { historyLength: 0 })),
};

/**
 * Recognises gemini-cli's clients by settings in `metadata.coderAgent`, or by answers with `callId`
 * and `outcome`. A client that activates the development-tool extension speaks A2A, whatever its
 * message contains.
 */
export const GEMINI_FAMILY: DialectFamily = {
  name: NAME,
  recognises: ({ operation, params }, { version, developmentTool }) =>
    version === "0.3" &&
    !developmentTool &&
    (operation === "send" || operation === "stream") &&
    isGeminiParams(params),
  create() {
    // This dialect has no form in A2A 1.0, so a client of A2A 1.0 reads a task of this dialect as A2A.
    const unread = { ...geminiDialect, traits: { ...TRAITS, answersTaskMethods: false } };
    return ({ version }) => (version === "0.3" ? geminiDialect : unread);
  },
};

function startFrames(view: TaskView, stream: StreamStart): readonly A2aFrame[] {
  switch (stream.type) {
    case "message":
      return stream.isNewTask ? [{ type: "task", task: buildGeminiTask(view) }] : [];
    case "subscription":
    case "repeated-question":
      return [{ type: "task", task: buildGeminiTask(view) }];
    case "joined":
      return [...stream.others, view].map((each) => ({
        type: "task",
        task: buildGeminiTask(each),
      }));
    case "resumed":
    case "command":
    case "events":
      return [];
  }
}

function encodeFrame(frame: A2aFrame): StreamFrame {
  return { json: JSON.stringify(V0_3.encodeFrame(frame)) };
}

// Adds the cursor to the last frame only. So a client that reconnects after an earlier frame gets
// all frames of the event again.
function withCursor(
  frames: readonly StreamFrame[],
  { cursor }: { readonly cursor?: string },
): readonly StreamFrame[] {
  if (cursor === undefined) return frames;
  return frames.map((frame, index) => (index === frames.length - 1 ? { ...frame, cursor } : frame));
}

function encodeError(reason: unknown, id: RpcId): EncodedError {
  const { error, ...body } = rpcFailure(id, reason);
  const isClosed = isProtocolError(reason) && reason.code === "unsupported-operation";
  // gemini-cli's A2A SDK sends this code, instead of ours, if a task cannot continue.
  const code = ERROR_CODES["invalid-request"].jsonRpc;
  const shown = isClosed && isObject(error) ? { ...error, code } : error;
  return { status: 200, body: { ...body, error: shown }, event: "error" };
}
