import { ERROR_CODES } from "../../errors/error-codes.js";
import { isProtocolError } from "../../errors/protocol-error.js";
import type { SessionEvent } from "../../event/agent-event.js";
import { compact } from "../a2a/read-json.js";
import type { Dialect, DialectFamily, DialectTraits, StreamFrame } from "../dialect.js";
import { rpcFailure } from "../json-rpc.js";
import { encodeGuideFrame } from "./guide-frame-codec.js";
import { historyOf } from "./guide-history.js";
import { decodeGuideMessage, isGuideParams } from "./guide-message-codec.js";
import { encodeGuideResult } from "./guide-result-codec.js";

const NAME = "guide";

const TRAITS: DialectTraits = {
  continuesEndedTasks: false,
  requiresSettings: false,
  meetsRequiredExtension: true,
  answersInText: false,
  hasOneTask: true,
  framesNameSession: true,
  // The guide has no methods about tasks, so a client that calls them speaks A2A.
  answersTaskMethods: false,
  staysOpenAtQuestions: false,
  repeatsFromTask: false,
};

/**
 * The flat frames of the live endpoint's guide. A frame only depends on its event, so a stream has
 * no memory.
 */
export const guideDialect: Dialect<undefined> = {
  name: NAME,
  key: NAME,
  traits: TRAITS,
  sharesFrames: true,
  chunksReply: false,
  decodeMessage(params) {
    const { messageId, taskId, ...content } = decodeGuideMessage(params);
    return compact({ messageId, taskId, content, returnsImmediately: false });
  },
  start(view, stream) {
    const events = stream.type === "joined" ? historyOf(view, stream.others) : [];
    // Events of a history have no cursors, because a socket of the guide cannot be resumed.
    return { memory: undefined, frames: events.flatMap(toFrames) };
  },
  encodeEvent: (memory, event) => ({ memory, frames: toFrames(event) }),
  encodeTask: encodeGuideResult,
  encodeReply: ({ turn }) => encodeGuideResult(turn),
  encodeError(reason, id) {
    const code = isProtocolError(reason) ? reason.code : "internal";
    return { status: ERROR_CODES[code].http, body: rpcFailure(id, reason) };
  },
  encodePush(event) {
    const body = encodeGuideFrame(event);
    return body === undefined ? { type: "nothing" } : { type: "body", body };
  },
  encodePushTask: encodeGuideResult,
};

/** On a live endpoint, a message with `content` is the guide's, and a message with `parts` is A2A's. */
export const GUIDE_FAMILY: DialectFamily = {
  name: NAME,
  recognises: ({ operation, params, isLive }) =>
    isLive && (operation === "send" || operation === "stream") && isGuideParams(params),
  create: () => () => guideDialect,
};

function toFrames(event: SessionEvent): readonly StreamFrame[] {
  const frame = encodeGuideFrame(event);
  if (frame === undefined) return [];
  const json = JSON.stringify(frame);
  return [event.cursor === undefined ? { json } : { json, cursor: event.cursor }];
}
