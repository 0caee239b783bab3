import { ERROR_CODES } from "../../errors/error-codes.js";
import { isProtocolError } from "../../errors/protocol-error.js";
import type { SessionEvent } from "../../event/agent-event.js";
import { isUnprompted, openQuestions, type TaskView } from "../../event/task-view.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import type { JsonObject } from "../../validation/message-json.js";
import type {
  Dialect,
  DialectFamily,
  DialectTraits,
  Encoded,
  EncodedError,
  StreamFrame,
  StreamStart,
} from "../dialect.js";
import {
  encodeNotesConfirmation,
  encodeNotesEvent,
  encodeNotesSettings,
  encodeNotesState,
  encodeNotesWords,
} from "./notes-event-codec.js";
import { decodeNotesMessage } from "./notes-message-codec.js";
import { encodeNotesMetadata } from "./notes-metadata-codec.js";

const NAME = "notes";

const TRAITS: DialectTraits = {
  continuesEndedTasks: true,
  requiresSettings: false,
  meetsRequiredExtension: true,
  answersInText: false,
  hasOneTask: false,
  framesNameSession: false,
  // The notes have no methods of A2A about tasks, so a client that calls them speaks A2A.
  answersTaskMethods: false,
  staysOpenAtQuestions: false,
  repeatsFromTask: false,
};

/** State of one stream between its frames. */
export interface NotesMemory {
  /** State of the task as the client knows it; undefined if this stream has sent no state. */
  readonly state?: string;
  /**
   * Ids of the calls whose question this stream has sent; undefined if the client knows every
   * question, because the stream continues after a cursor.
   */
  readonly asked?: readonly string[];
}

/** The events of the protocol notes, as `data:` lines. */
export const notesDialect: Dialect<NotesMemory> = {
  name: NAME,
  key: NAME,
  traits: TRAITS,
  // Frames depend on the state and the questions that the stream has sent before.
  sharesFrames: false,
  chunksReply: false,
  decodeMessage: decodeNotesMessage,
  start: startStream,
  encodeEvent,
  encodeTask: (view) => encodeNotesMetadata(view),
  encodeReply: ({ task }) => encodeNotesMetadata(task),
  encodeError,
  encodePush(event) {
    const body = encodeEvent({ asked: [] }, event).frames.at(-1)?.json;
    return body === undefined ? { type: "nothing" } : { type: "body", body: JSON.parse(body) };
  },
  encodePushTask: (view) => encodeNotesMetadata(view),
};

/** Only the notes' own routes use this dialect. */
export const NOTES_FAMILY: DialectFamily = {
  name: NAME,
  recognises: () => false,
  create: () => () => notesDialect,
};

// Encodes an error. The texts for an unknown task and for a fault are fixed. Other errors keep their
// message.
function encodeError(reason: unknown): EncodedError {
  const code = isProtocolError(reason) ? reason.code : "internal";
  const message = isProtocolError(reason)
    ? reason.message
    : "the server could not finish the request";
  // An unknown session is named by the field of the request that has its id.
  const isUnknownTask =
    isProtocolError(reason) && code === "task-not-found" && reason.data?.path === undefined;
  const error = isUnknownTask ? "Task not found" : message;
  return { status: ERROR_CODES[code].http, body: { error }, event: "error" };
}

// Encodes the first frames of a stream. The sender of a new task's first message gets the state and
// the settings. A subscriber gets the open questions, then the state.
function startStream(view: TaskView, stream: StreamStart): Encoded<NotesMemory> {
  const { state, settings } = view;
  switch (stream.type) {
    case "message": {
      const { isNewTask, knownState } = stream;
      if (!isNewTask) {
        return {
          memory: knownState === undefined ? { asked: [] } : { state: knownState },
          frames: [],
        };
      }
      const change = encodeNotesState(isUnprompted(view) ? { ...view, state: "submitted" } : view);
      const shown = settings === undefined ? [] : [encodeNotesSettings(settings, view)];
      return { memory: { state, asked: [] }, frames: toFrames([change, ...shown]) };
    }
    case "repeated-question":
    case "subscription":
    case "joined": {
      const questions = openQuestions(view);
      const asked = questions.map(({ toolCallId }) => toolCallId);
      const payloads = questions.map((call) => encodeNotesConfirmation(call, view));
      const words = encodeNotesWords(view);
      const frames = toFrames([...words, ...payloads, encodeNotesState(view)]);
      return { memory: { state, asked }, frames };
    }
    case "resumed":
      return { memory: {}, frames: [] };
    case "command":
    case "events":
      return { memory: { asked: [] }, frames: [] };
  }
}

/**
 * Encodes one event. If the client does not know the state of the event yet, a change of state is
 * sent first. A question is sent after its call. If this stream has not sent the call, the question
 * is sent before the change to `input-required`.
 */
function encodeEvent(memory: NotesMemory, event: SessionEvent): Encoded<NotesMemory> {
  const { state, cursor } = event;
  // These events have no frames. Their state counts as known, so a later event with the same state does not
  // report a change.
  if (event.kind === "USER_PROMPT" || event.kind === "QUEUE") {
    return { memory: { ...memory, state }, frames: [] };
  }
  const payload = encodeNotesEvent(event);
  if (payload === undefined) return { memory, frames: [] };
  const isChanged = event.kind !== "STATE_CHANGE" && state !== memory.state;
  const { taskId, contextId } = event;
  const changes = isChanged ? [encodeNotesState({ taskId, contextId, state })] : [];
  const calls = newQuestions(event, memory);
  const questions = calls.map((call) => encodeNotesConfirmation(call, event));
  const payloads =
    event.kind === "STATE_CHANGE"
      ? [...encodeNotesWords(event), ...questions, payload]
      : [...changes, payload, ...questions];
  const asked = memory.asked && [...memory.asked, ...calls.map(({ toolCallId }) => toolCallId)];
  return {
    memory: { state, ...(asked !== undefined && { asked }) },
    frames: toFrames(payloads, cursor),
  };
}

function newQuestions(event: SessionEvent, { asked }: NotesMemory): readonly ToolCall[] {
  if (event.kind === "TOOL_CALL_UPDATE") return [event.toolCall].filter(isWaiting);
  if (event.kind !== "STATE_CHANGE" || asked === undefined) return [];
  return (event.waiting ?? []).filter(({ toolCallId }) => !asked.includes(toolCallId));
}

// Converts payloads to frames. Only the last frame of an event has the cursor, so that no frame is
// lost if a stream breaks between two frames.
function toFrames(payloads: readonly JsonObject[], cursor?: string): readonly StreamFrame[] {
  return payloads.map((payload, index) => {
    const json = JSON.stringify(payload);
    const isLast = index === payloads.length - 1;
    return cursor !== undefined && isLast ? { json, cursor } : { json };
  });
}
