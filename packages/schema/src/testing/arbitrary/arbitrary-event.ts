import fc from "fast-check";
import type { AgentEvent, EventHeader, EventKind, SessionEvent } from "../../event/agent-event.js";
import { arbitraryArtifact, arbitraryPart } from "./arbitrary-a2a.js";
import { arbitraryRecord, arbitraryText, arbitraryTime } from "./arbitrary-json.js";
import { arbitraryMessage } from "./arbitrary-message.js";

const parts = fc.array(arbitraryPart, { minLength: 1, maxLength: 2 });
const origin = arbitraryMessage("Origin");

/** Any event of each kind. */
export const arbitraryEvents: {
  readonly [TKind in EventKind]: fc.Arbitrary<AgentEvent & { kind: TKind }>;
} = {
  STATE_CHANGE: arbitraryRecord(
    { kind: fc.constant("STATE_CHANGE" as const) },
    {
      waiting: fc.array(arbitraryMessage("ToolCall"), { minLength: 1, maxLength: 2 }),
      statusParts: parts,
    },
  ),
  TEXT_CONTENT: arbitraryRecord(
    { kind: fc.constant("TEXT_CONTENT" as const), text: fc.string() },
    {
      attachments: fc.array(
        arbitraryPart.filter((part) => part.type !== "text"),
        { minLength: 1, maxLength: 2 },
      ),
    },
  ),
  THOUGHT: fc.record({
    kind: fc.constant("THOUGHT" as const),
    thought: arbitraryMessage("AgentThought"),
  }),
  TOOL_CALL_UPDATE: arbitraryRecord(
    {
      kind: fc.constant("TOOL_CALL_UPDATE" as const),
      toolCall: arbitraryMessage("ToolCall"),
    },
    { answer: arbitraryMessage("ConfirmationAnswer"), parentCallId: arbitraryText },
  ),
  USER_PROMPT: fc.record({
    kind: fc.constant("USER_PROMPT" as const),
    messageId: arbitraryText,
    parts,
    origin,
  }),
  ARTIFACT: arbitraryRecord(
    { kind: fc.constant("ARTIFACT" as const), artifact: arbitraryArtifact },
    { append: fc.constant(true), lastChunk: fc.constant(true) },
  ),
  CITATION: fc.record({
    kind: fc.constant("CITATION" as const),
    citation: arbitraryMessage("Citation"),
  }),
  CONSOLE_LOG: fc.record({
    kind: fc.constant("CONSOLE_LOG" as const),
    log: arbitraryMessage("ConsoleLog"),
  }),
  THOUGHT_SUMMARY: fc.record({
    kind: fc.constant("THOUGHT_SUMMARY" as const),
    thoughtSummary: arbitraryMessage("ThoughtSummary"),
  }),
  AGENT_SETTINGS: fc.record({
    kind: fc.constant("AGENT_SETTINGS" as const),
    settings: arbitraryMessage("AgentSettings"),
  }),
  QUEUE: fc.record({
    kind: fc.constant("QUEUE" as const),
    prompts: fc.array(arbitraryMessage("QueuedPrompt"), { maxLength: 2 }),
  }),
  TODOS: fc.record({
    kind: fc.constant("TODOS" as const),
    todos: fc.array(arbitraryMessage("Todo"), { maxLength: 2 }),
  }),
  USAGE: fc.record({
    kind: fc.constant("USAGE" as const),
    report: arbitraryMessage("UsageReport"),
  }),
  MODE: fc.record({
    kind: fc.constant("MODE" as const),
    mode: arbitraryMessage("ModeChange"),
  }),
  TITLE: fc.record({ kind: fc.constant("TITLE" as const), title: arbitraryText }),
  ACCESS: fc.record({
    kind: fc.constant("ACCESS" as const),
    access: arbitraryMessage("AccessChange"),
  }),
  WARNING: fc.record({
    kind: fc.constant("WARNING" as const),
    warning: arbitraryMessage("Warning"),
  }),
  BACKGROUND_PROCESS: fc.record({
    kind: fc.constant("BACKGROUND_PROCESS" as const),
    backgroundProcess: arbitraryMessage("BackgroundProcess"),
  }),
  REWOUND: fc.record({
    kind: fc.constant("REWOUND" as const),
    rewound: arbitraryMessage("Rewound"),
  }),
  UNKNOWN: arbitraryRecord(
    {
      kind: fc.constant("UNKNOWN" as const),
      wireKind: fc.constantFrom("FUTURE_KIND", "tool-call-update"),
      parts,
    },
    { extension: fc.constant("session" as const) },
  ),
};

/** Every kind of event. */
export const EVENT_KINDS = Object.keys(arbitraryEvents) as readonly EventKind[];

const header: fc.Arbitrary<EventHeader> = arbitraryRecord(
  {
    taskId: arbitraryText,
    contextId: arbitraryText,
    state: fc.constantFrom(
      "submitted" as const,
      "working" as const,
      "input-required" as const,
      "completed" as const,
      "failed" as const,
      "canceled" as const,
      "rejected" as const,
      "auth-required" as const,
    ),
    at: arbitraryTime,
  },
  {
    model: arbitraryText,
    userTier: arbitraryText,
    error: arbitraryText,
    usage: arbitraryMessage("Usage"),
    traceId: arbitraryText,
    cursor: arbitraryText,
  },
);

/** Any event of a kind, with any header. */
export function arbitrarySessionEvent(kind: EventKind): fc.Arbitrary<SessionEvent> {
  const event: fc.Arbitrary<AgentEvent> = arbitraryEvents[kind];
  return fc.tuple(event, header).map(([content, fields]) => {
    if (kind !== "ARTIFACT") return { ...content, ...fields };
    // An artifact update cannot contain these fields of the RFC's header.
    const { model: _, userTier: __, error: ___, ...kept } = fields;
    return { ...content, ...kept };
  });
}
