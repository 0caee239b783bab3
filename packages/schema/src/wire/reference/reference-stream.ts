import type { SessionEvent } from "../../event/agent-event.js";
import { textOf } from "../../event/part.js";
import { isInterruptedState } from "../../event/task-state.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import type { AgentThought } from "../../gen/development_tool/thought.js";
import { compact } from "../a2a/read-json.js";
import type { Encoded, StreamFrame, StreamPosition, StreamStart } from "../dialect.js";
import {
  CODER_AGENT_EVENTS,
  type CoderAgentMessage,
  REFERENCE_STATES,
  type ReferenceState,
} from "./reference-events.js";
import { encodeReferenceCall } from "./reference-tool-call-codec.js";

/** State of one stream of the server reference between its frames. */
export interface ReferenceMemory {
  /** State that the client knows; undefined if the client may not know the state. */
  readonly state: ReferenceState | undefined;
  /** Subjects of the thoughts since the last text. Their summary follows when text begins. */
  readonly subjects: readonly string[];
}

/** Memory of a client that knows nothing yet. */
export const EMPTY_REFERENCE_MEMORY: ReferenceMemory = { state: undefined, subjects: [] };

/** Events of the server reference, and the memory for the next event. */
interface Messages {
  readonly memory: ReferenceMemory;
  readonly messages: readonly CoderAgentMessage[];
}

/**
 * Starts a stream. The client of `/execute` knows the state of its task. A subscriber gets the
 * state and the open questions.
 */
export function startReferenceStream(
  view: TaskView,
  { type }: StreamStart,
): Encoded<ReferenceMemory> {
  const state = REFERENCE_STATES[view.state];
  if (type === "message") return { memory: { state, subjects: [] }, frames: [] };
  if (type === "repeated-question") {
    return { memory: { state, subjects: [] }, frames: toFrames(questionsOf(view)) };
  }
  if (type === "subscription" || type === "joined") {
    const current = toStateChange(state, view);
    const messages = [current, ...questionsOf(view)];
    return { memory: { state, subjects: [] }, frames: toFrames(messages, view.cursor) };
  }
  return { memory: EMPTY_REFERENCE_MEMORY, frames: [] };
}

/** Encodes one event as frames. The name of a frame is the type of its payload. */
export function encodeReferenceEvent(
  memory: ReferenceMemory,
  event: SessionEvent,
  at: Pick<StreamPosition, "isLast">,
): Encoded<ReferenceMemory> {
  const encoded = toCoderAgentMessages(memory, event, at);
  return { memory: encoded.memory, frames: toFrames(encoded.messages, event.cursor) };
}

/** Converts one event of a session to events of the server reference. (server reference, "Task Events") */
export function toCoderAgentMessages(
  memory: ReferenceMemory,
  event: SessionEvent,
  { isLast }: Pick<StreamPosition, "isLast">,
): Messages {
  switch (event.kind) {
    case "STATE_CHANGE": {
      const state = stateAfter(event, isLast);
      // The state is sent only if it has changed or the stream ends.
      const changes = state === memory.state && !isLast ? [] : [toStateChange(state, event)];
      // The agent's text about a failure is sent as the error. Text about other states is sent as text.
      const words = state === "error" ? "" : textOf(event.statusParts ?? []);
      if (words === "") return { memory: { ...memory, state }, messages: changes };
      const text = { type: CODER_AGENT_EVENTS.TEXT_CONTENT, text: words };
      const messages = [...summaryOf(memory), text, ...changes];
      return { memory: { state, subjects: [] }, messages };
    }
    case "TEXT_CONTENT": {
      if (event.text === "") return { memory, messages: [] };
      const text = { type: CODER_AGENT_EVENTS.TEXT_CONTENT, text: event.text };
      return { memory: { ...memory, subjects: [] }, messages: [...summaryOf(memory), text] };
    }
    case "THOUGHT": {
      const thought = describeThought(event.thought);
      const subject = event.thought.subject || thought;
      const subjects = [...memory.subjects, subject];
      const message = { type: CODER_AGENT_EVENTS.THOUGHT, thought };
      return { memory: { ...memory, subjects }, messages: [message] };
    }
    case "THOUGHT_SUMMARY": {
      const { summary } = event.thoughtSummary;
      const message = { type: CODER_AGENT_EVENTS.THOUGHT_SUMMARY, summary };
      return { memory: { ...memory, subjects: [] }, messages: [message] };
    }
    case "TOOL_CALL_UPDATE":
      return { memory, messages: [encodeReferenceCall(event.toolCall)] };
    default:
      return { memory, messages: [] };
  }
}

// Returns the state after an event. The last event of a stream ends the turn, so the stream reports
// `completed` or `error` even if the task itself waits for input.
function stateAfter({ state, error }: SessionEvent, isLast: boolean): ReferenceState {
  if (!isLast || !isInterruptedState(state)) return REFERENCE_STATES[state];
  return error === undefined ? "completed" : "error";
}

type StateOfTask = Pick<TaskView, "at" | "error" | "state" | "statusParts">;

function toStateChange(
  state: ReferenceState,
  { at, error, state: own, statusParts = [] }: StateOfTask,
): CoderAgentMessage {
  const words = textOf(statusParts) || undefined;
  const reason = error ?? words ?? (own === "canceled" ? "the task was canceled" : undefined);
  return compact({
    type: CODER_AGENT_EVENTS.STATE_CHANGE,
    state,
    timestamp: at,
    error: state === "error" ? reason : undefined,
  });
}

function summaryOf({ subjects }: ReferenceMemory): readonly CoderAgentMessage[] {
  if (subjects.length === 0) return [];
  return [{ type: CODER_AGENT_EVENTS.THOUGHT_SUMMARY, summary: subjects.join("; ") }];
}

/** Joins subject and description of a thought. */
export function describeThought({ subject, description }: AgentThought): string {
  return [subject, description].filter((text) => text !== "").join(": ");
}

function questionsOf(view: TaskView): readonly CoderAgentMessage[] {
  return openQuestions(view).map(encodeReferenceCall);
}

// Converts messages to frames. Only the last frame of an event has the cursor, so that a client
// never continues between two frames.
function toFrames(messages: readonly CoderAgentMessage[], cursor?: string): readonly StreamFrame[] {
  return messages.map((message, index) => ({
    json: JSON.stringify(message),
    event: message.type,
    ...(cursor !== undefined && index === messages.length - 1 && { cursor }),
  }));
}
