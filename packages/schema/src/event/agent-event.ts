import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { AgentThought } from "../gen/development_tool/thought.js";
import type { ToolCall } from "../gen/development_tool/tool_call.js";
import type {
  Citation,
  ConfirmationAnswer,
  ConsoleLog,
  Origin,
  QueuedPrompt,
  ThoughtSummary,
  Usage,
} from "../gen/dt_session/event.js";
import type { Part } from "./part.js";
import type { TaskState } from "./task-state.js";

/**
 * One thing that happened in a session. The first four kinds are the RFC's, the others are of our
 * session extension; UNKNOWN is an event of a peer that we cannot read and pass on.
 */
export type AgentEvent =
  | StateChange
  | TextContent
  | Thought
  | ToolCallUpdate
  | UserPrompt
  | { readonly kind: "CITATION"; readonly citation: Citation }
  | { readonly kind: "CONSOLE_LOG"; readonly log: ConsoleLog }
  | { readonly kind: "THOUGHT_SUMMARY"; readonly thoughtSummary: ThoughtSummary }
  | { readonly kind: "AGENT_SETTINGS"; readonly settings: AgentSettings }
  | { readonly kind: "QUEUE"; readonly prompts: readonly QueuedPrompt[] }
  | UnknownEvent;

/** The task entered the state that the event carries. */
export interface StateChange {
  readonly kind: "STATE_CHANGE";
  /** With `input-required`: every call that waits for an answer, whole. */
  readonly waiting?: readonly ToolCall[];
}

/** The agent said something: a piece, to be appended to the piece before. */
export interface TextContent {
  readonly kind: "TEXT_CONTENT";
  /** The piece, which may be empty where files or data came. */
  readonly text: string;
  /** Files and data that came with it. */
  readonly attachments?: readonly Part[];
}

/** The agent thought something. */
export interface Thought {
  readonly kind: "THOUGHT";
  readonly thought: AgentThought;
}

/** A tool call, whole, as it is now. */
export interface ToolCallUpdate {
  readonly kind: "TOOL_CALL_UPDATE";
  readonly toolCall: ToolCall;
  /** Whose answer brought this update about. */
  readonly answer?: ConfirmationAnswer;
  /** The running call that this one was asked inside of. */
  readonly parentCallId?: string;
}

/** Someone prompted the session. */
export interface UserPrompt {
  readonly kind: "USER_PROMPT";
  /** The id that whoever sent it gave it. */
  readonly messageId: string;
  /** What was said, files and data included; {@link textOf} gives the text alone. */
  readonly parts: readonly Part[];
  /** Who it came from. */
  readonly origin: Origin;
}

/** An event whose kind we do not know; its parts as they came. */
export interface UnknownEvent {
  readonly kind: "UNKNOWN";
  /** The kind that the peer named; "" where it named none. */
  readonly wireKind: string;
  /** Set where the kind is one of the session extension, which a client of the RFC never sees. */
  readonly extension?: "session";
  readonly parts: readonly Part[];
}

/** What every event carries beside what happened. */
export interface EventHeader {
  readonly taskId: string;
  /** The session that the task belongs to. */
  readonly contextId: string;
  /** The state of the task after this event. */
  readonly state: TaskState;
  /** When it happened, ISO 8601. */
  readonly at: string;
  /** The model in use. */
  readonly model?: string;
  /** The tier of the user, where the agent tells. */
  readonly userTier?: string;
  /** Set where the agent's own execution went wrong: why, in a sentence. */
  readonly error?: string;
  /** Tokens, as the model's vendor counted them. */
  readonly usage?: Usage;
  /** Finds the event in the traces of the agent. */
  readonly traceId?: string;
  /** The event's place in the log; absent on live output, which is not logged. Opaque. */
  readonly cursor?: string;
}

/** The cursor before the first event of any session: who goes on from it is told everything. */
export const START_CURSOR = "0";

/** An event with its header: what observers see. */
export type SessionEvent = AgentEvent & EventHeader;

/**
 * An event as an agent hands it to its ledger, which adds the session and the place in the log.
 * `turn` is the number of the turn that it belongs to, counted over the session.
 */
export type StampedEvent = AgentEvent &
  Omit<EventHeader, "contextId" | "cursor"> & { readonly turn: number };

/** Every kind of event. */
export type EventKind = AgentEvent["kind"];

/** Whether an agent with only the RFC's extension would send this kind. */
export function isRfcKind(kind: EventKind): boolean {
  return (
    kind === "STATE_CHANGE" ||
    kind === "TEXT_CONTENT" ||
    kind === "THOUGHT" ||
    kind === "TOOL_CALL_UPDATE" ||
    kind === "UNKNOWN"
  );
}
