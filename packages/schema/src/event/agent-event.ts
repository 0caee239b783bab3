import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { AgentThought } from "../gen/development_tool/thought.js";
import type { ToolCall } from "../gen/development_tool/tool_call.js";
import type {
  AccessChange,
  BackgroundProcess,
  Citation,
  ConfirmationAnswer,
  ConsoleLog,
  ModeChange,
  Origin,
  QueuedPrompt,
  Rewound,
  ThoughtSummary,
  Todo,
  Usage,
  UsageReport,
  Warning,
} from "../gen/dt_session/event.js";
import type { Artifact, Part } from "./part.js";
import type { TaskState } from "./task-state.js";

/**
 * One thing that happened in a session. The first four kinds are the RFC's, ARTIFACT is A2A's own,
 * and the others belong to our session extension. UNKNOWN is an event of a kind that we do not
 * know; it is passed on unchanged.
 */
export type AgentEvent =
  | StateChange
  | TextContent
  | Thought
  | ToolCallUpdate
  | UserPrompt
  | ArtifactUpdate
  | { readonly kind: "CITATION"; readonly citation: Citation }
  | { readonly kind: "CONSOLE_LOG"; readonly log: ConsoleLog }
  | { readonly kind: "THOUGHT_SUMMARY"; readonly thoughtSummary: ThoughtSummary }
  | { readonly kind: "AGENT_SETTINGS"; readonly settings: AgentSettings }
  | { readonly kind: "QUEUE"; readonly prompts: readonly QueuedPrompt[] }
  | TodosEvent
  | UsageEvent
  | ModeEvent
  | TitleEvent
  | WarningEvent
  | BackgroundProcessEvent
  | RewoundEvent
  | AccessEvent
  | UnknownEvent;

/** The task entered the state in the header of the event. */
export interface StateChange {
  readonly kind: "STATE_CHANGE";
  /** All calls that wait for an answer; set if the state is `input-required` because of questions. */
  readonly waiting?: readonly ToolCall[];
  /** Parts that the agent sent with the state: a question, a result, or a reason. */
  readonly statusParts?: readonly Part[];
}

/** A piece of the agent's text, to be appended to the piece before. */
export interface TextContent {
  readonly kind: "TEXT_CONTENT";
  /** The piece; it may be empty if the event has attachments. */
  readonly text: string;
  /** Files and data that come with the text. */
  readonly attachments?: readonly Part[];
}

/** A thought of the agent. */
export interface Thought {
  readonly kind: "THOUGHT";
  readonly thought: AgentThought;
}

/** A tool call as a whole, in its current state. */
export interface ToolCallUpdate {
  readonly kind: "TOOL_CALL_UPDATE";
  readonly toolCall: ToolCall;
  /** The answer that caused this update. */
  readonly answer?: ConfirmationAnswer;
  /** Id of the running call that caused this call. */
  readonly parentCallId?: string;
}

/** A user prompted the session. */
export interface UserPrompt {
  readonly kind: "USER_PROMPT";
  /** Id that the sender gave the message. */
  readonly messageId: string;
  /** Content of the prompt, including files and data. {@link textOf} returns only the text. */
  readonly parts: readonly Part[];
  /** Sender of the prompt. */
  readonly origin: Origin;
}

/** The agent's whole todo list, which replaces the previous list; empty if the agent deleted its list. */
export interface TodosEvent {
  readonly kind: "TODOS";
  readonly todos: readonly Todo[];
}

/** Tokens and money that the turn and the session have used up to a reply of the model. */
export interface UsageEvent {
  readonly kind: "USAGE";
  readonly report: UsageReport;
}

/** A client has set the permission mode of its prompts. The mode ends with the client's credential. */
export interface ModeEvent {
  readonly kind: "MODE";
  readonly mode: ModeChange;
}

/** The title of the session. Each new task of the session repeats the title. */
export interface TitleEvent {
  readonly kind: "TITLE";
  readonly title: string;
}

/** A problem that the person should know about, although the work goes on. */
export interface WarningEvent {
  readonly kind: "WARNING";
  readonly warning: Warning;
}

/** The current state of a process that goes on after its tool call. */
export interface BackgroundProcessEvent {
  readonly kind: "BACKGROUND_PROCESS";
  readonly backgroundProcess: BackgroundProcess;
}

/** The conversation went back to the time before a prompt. */
export interface RewoundEvent {
  readonly kind: "REWOUND";
  readonly rewound: Rewound;
}

/**
 * The access to the session has changed: the owner shared the session or withdrew a grant, or a user
 * joined.
 */
export interface AccessEvent {
  readonly kind: "ACCESS";
  readonly access: AccessChange;
}

/** The agent gave an artifact, or a chunk of one. */
export interface ArtifactUpdate {
  readonly kind: "ARTIFACT";
  /** The whole artifact, or only the chunk. */
  readonly artifact: Artifact;
  /** True if the parts are appended to the artifact with the same id; otherwise they replace it. */
  readonly append?: boolean;
  /** True if no chunk follows. */
  readonly lastChunk?: boolean;
}

/** An event of a kind that we do not know, with its parts unchanged. */
export interface UnknownEvent {
  readonly kind: "UNKNOWN";
  /** Kind as the sender wrote it; "" if the event had no kind. */
  readonly wireKind: string;
  /**
   * Set if the kind belongs to the session extension. A client with only the RFC's extension never
   * gets such an event.
   */
  readonly extension?: "session";
  readonly parts: readonly Part[];
}

/**
 * Error text of an open task after its turn was cancelled. Clients recognize the cancellation by this text,
 * because the state of the task is `input-required`, as after any other turn.
 */
export const TURN_CANCELLED = "the turn was cancelled";

/** Fields that every event has, whatever its kind. */
export interface EventHeader {
  readonly taskId: string;
  /** Session of the task. */
  readonly contextId: string;
  /** State of the task after this event. */
  readonly state: TaskState;
  /** Time of the event, ISO 8601. */
  readonly at: string;
  /** Model in use. */
  readonly model?: string;
  /** Tier of the user, if the agent reports it. */
  readonly userTier?: string;
  /** Fault of the agent itself, as a sentence. */
  readonly error?: string;
  /** Tokens, as the model's vendor counted them. */
  readonly usage?: Usage;
  /** Id of the event in the agent's traces. */
  readonly traceId?: string;
  /** Cursor of the event; absent on live output, which is not logged. Opaque. */
  readonly cursor?: string;
}

/** Cursor before the first event of any session. A subscriber that starts here gets all events. */
export const START_CURSOR = "0";

/** An event with its header, as subscribers get it. */
export type SessionEvent = AgentEvent & EventHeader;

/**
 * An event as an agent passes it to its ledger, which adds the session and the position in the log.
 * `turn` is the number of the event's turn in the session.
 */
export type StampedEvent = AgentEvent &
  Omit<EventHeader, "contextId" | "cursor"> & { readonly turn: number };

/** Every kind of event. */
export type EventKind = AgentEvent["kind"];

/** Returns true if an agent that only has the RFC's extension can send events of this kind. */
export function isRfcKind(kind: EventKind): boolean {
  return (
    kind === "STATE_CHANGE" ||
    kind === "TEXT_CONTENT" ||
    kind === "THOUGHT" ||
    kind === "TOOL_CALL_UPDATE" ||
    kind === "ARTIFACT" ||
    kind === "UNKNOWN"
  );
}
