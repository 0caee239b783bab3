import { ERROR_CODES } from "../../errors/error-codes.js";
import { isProtocolError } from "../../errors/protocol-error.js";
import type { JsonObject } from "../../validation/message-json.js";
import type { Dialect, DialectFamily, DialectTraits } from "../dialect.js";
import { decodeReferenceMessage } from "./reference-message-codec.js";
import {
  EMPTY_REFERENCE_MEMORY,
  encodeReferenceEvent,
  type ReferenceMemory,
  startReferenceStream,
  toCoderAgentMessages,
} from "./reference-stream.js";
import { encodeReferenceTask } from "./reference-task-codec.js";

const NAME = "reference";

const TRAITS: DialectTraits = {
  continuesEndedTasks: true,
  requiresSettings: false,
  meetsRequiredExtension: true,
  answersInText: false,
  hasOneTask: false,
  framesNameSession: false,
  // The server reference has its own routes, so a client that calls A2A's methods speaks A2A.
  answersTaskMethods: false,
  staysOpenAtQuestions: true,
  repeatsFromTask: false,
};

/**
 * The dialect of the server reference: named events, its own states, and a stream that stays open
 * while a question waits. A summary depends on earlier thoughts, so frames are not shared.
 */
export const referenceDialect: Dialect<ReferenceMemory> = {
  name: NAME,
  key: NAME,
  traits: TRAITS,
  sharesFrames: false,
  chunksReply: false,
  decodeMessage: decodeReferenceMessage,
  start: startReferenceStream,
  encodeEvent: encodeReferenceEvent,
  encodeTask: encodeReferenceTask,
  encodeReply: ({ task }, options) => encodeReferenceTask(task, options),
  encodeError(reason) {
    if (!isProtocolError(reason)) return { status: ERROR_CODES.internal.http, body: INTERNAL };
    const { code, message, data } = reason;
    return { status: ERROR_CODES[code].http, body: { ...data, error: message, code } };
  },
  encodePush(event) {
    const at = { isLast: false };
    const body = toCoderAgentMessages(EMPTY_REFERENCE_MEMORY, event, at).messages.at(-1);
    return body === undefined ? { type: "nothing" } : { type: "body", body };
  },
  encodePushTask: (view) => encodeReferenceTask(view, { historyLength: 0 }),
};

const INTERNAL: JsonObject = { error: "the server could not finish the request", code: "internal" };

/** Only the routes of the server reference speak this dialect. */
export const REFERENCE_FAMILY: DialectFamily = {
  name: NAME,
  recognises: () => false,
  create: () => () => referenceDialect,
};
