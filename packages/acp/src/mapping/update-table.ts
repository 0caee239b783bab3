import type { SessionUpdate } from "@agentclientprotocol/sdk";
import {
  type AgentEvent,
  type EventKind,
  isTerminalState,
  isTerminalStatus,
  type Origin,
  type Part,
  type SessionEvent,
  showControlOnLine,
  type TodoStatus,
  type Usage,
} from "@dt/schema";
import { encodeToolCall } from "./encode-tool-call.js";
import { textContent, toContent } from "./to-content.js";

/** Facts about an editor and its session on which the updates depend. */
export interface EditorContext {
  /** Workspace of the session. */
  readonly directory: string;
  /** True if the editor can show notices. */
  readonly showsNotices: boolean;
  /** Returns true if this editor sent the prompt, so that the editor shows it already. */
  isShown(event: SessionEvent & { readonly kind: "USER_PROMPT" }): boolean;
  /** Returns true if a prompt came from this editor, also before the session was opened again. */
  isOwn(origin: Origin): boolean;
  /** Remarks about a tool call. */
  notesOn(toolCallId: string): readonly string[];
}

/** Ids of the tool calls that the editor knows and that have not ended. */
export type UpdateMemory = ReadonlySet<string>;

/** The updates of one event, and the memory after it. */
export interface EncodedUpdates {
  readonly updates: readonly SessionUpdate[];
  readonly memory: UpdateMemory;
}

type EventOf<TKind extends EventKind> = Extract<SessionEvent, { readonly kind: TKind }>;
type Encode<TKind extends EventKind> = (
  event: EventOf<TKind>,
  context: EditorContext,
) => readonly SessionUpdate[];

/**
 * The updates for version 1 of the Agent Client Protocol, by the kind of the event. Another version would be
 * another table. Tool calls are not in the table, because their updates also depend on the memory.
 */
export const UPDATES_V1: {
  readonly [TKind in Exclude<EventKind, "TOOL_CALL_UPDATE">]: Encode<TKind>;
} = {
  TEXT_CONTENT: ({ text, attachments = [] }) =>
    agentParts([...(text === "" ? [] : [{ type: "text" as const, text }]), ...attachments]),
  THOUGHT: ({ thought: { subject, description } }) =>
    thought([subject && `**${subject}**`, description].filter(Boolean).join("\n\n")),
  THOUGHT_SUMMARY: ({ thoughtSummary }) => thought(thoughtSummary.summary),
  USER_PROMPT: (event, context) => (context.isShown(event) ? [] : userPrompt(event, context)),
  STATE_CHANGE: ({ state, statusParts = [] }) =>
    isTerminalState(state) ? agentParts(statusParts) : [],
  CITATION: ({ citation: { uri, title } }) => [
    {
      sessionUpdate: "agent_message_chunk",
      content: { type: "resource_link", uri, name: title || uri },
    },
  ],
  TODOS: ({ todos }) => [
    {
      sessionUpdate: "plan",
      entries: todos.flatMap(({ description: content, status }) => {
        const shown = PLAN_STATUSES[status];
        return shown === undefined ? [] : [{ content, priority: "medium" as const, status: shown }];
      }),
    },
  ],
  TITLE: ({ title, at }) => [{ sessionUpdate: "session_info_update", title, updatedAt: at }],
  USAGE: ({ report: { contextTokens, contextLimit, sessionCost, session } }) =>
    contextLimit === 0
      ? []
      : [
          {
            sessionUpdate: "usage_update",
            used: contextTokens,
            size: contextLimit,
            ...(sessionCost && {
              cost: { amount: Number(sessionCost.amount), currency: sessionCost.currency },
            }),
            ...(session && { _meta: { dt: { tokens: toTokens(session) } } }),
          },
        ],
  WARNING: ({ warning: { message } }, context) => notice("warning", message, context),
  REWOUND: (_, context) =>
    notice("info", "The conversation went back to an earlier prompt.", context),
  ACCESS: ({ access: { action, user, role } }, context) =>
    notice("info", `Access: ${action.toLowerCase()}, ${user || "a link"}, ${role}.`, context),
  CONSOLE_LOG: ({ log: { type, content } }, context) =>
    notice(type === "error" ? "error" : "info", content, context),
  // The editor learns the mode from the state of the session, because other clients have their own modes.
  MODE: () => [],
  // The editor has its own queue, and the settings do not change while it is connected.
  QUEUE: () => [],
  AGENT_SETTINGS: () => [],
  BACKGROUND_PROCESS: () => [],
  // The agent also says in text what an artifact contains.
  ARTIFACT: () => [],
  UNKNOWN: () => [],
};

const PLAN_STATUSES: Readonly<
  Record<TodoStatus, "pending" | "in_progress" | "completed" | undefined>
> = {
  TODO_STATUS_UNSPECIFIED: "pending",
  PENDING: "pending",
  IN_PROGRESS: "in_progress",
  COMPLETED: "completed",
  CANCELLED: undefined,
};

/** Encodes one event for the editor. Pure. */
export function encodeUpdates(
  memory: UpdateMemory,
  event: SessionEvent,
  context: EditorContext,
): EncodedUpdates {
  if (event.kind === "TOOL_CALL_UPDATE") return encodeCallUpdate(memory, event, context);
  // The cast is safe, because the table has the function of each kind.
  const encode = UPDATES_V1[event.kind] as Encode<Exclude<AgentEvent["kind"], "TOOL_CALL_UPDATE">>;
  return { updates: encode(event, context), memory };
}

function encodeCallUpdate(
  memory: UpdateMemory,
  { toolCall, parentCallId }: EventOf<"TOOL_CALL_UPDATE">,
  { directory, notesOn }: EditorContext,
): EncodedUpdates {
  const { toolCallId, status } = toolCall;
  const call = encodeToolCall(toolCall, {
    directory,
    notes: notesOn(toolCallId),
    ...(parentCallId !== undefined && { parentCallId }),
  });
  const update: SessionUpdate = memory.has(toolCallId)
    ? { sessionUpdate: "tool_call_update", ...call }
    : { sessionUpdate: "tool_call", ...call };
  const next = new Set(memory);
  if (isTerminalStatus(status)) next.delete(toolCallId);
  else next.add(toolCallId);
  return { updates: [update], memory: next };
}

function agentParts(parts: readonly Part[]): readonly SessionUpdate[] {
  return parts.map((part) => ({ sessionUpdate: "agent_message_chunk", content: toContent(part) }));
}

function thought(text: string): readonly SessionUpdate[] {
  if (text === "") return [];
  return [{ sessionUpdate: "agent_thought_chunk", content: textContent(text) }];
}

/** Shows a prompt. The prompt of another client begins with the client's name. */
function userPrompt(
  { parts, origin, messageId }: EventOf<"USER_PROMPT">,
  { isOwn }: EditorContext,
): readonly SessionUpdate[] {
  const _meta = { dt: { messageId, from: origin.name } };
  const sender: Part = { type: "text", text: `[${showControlOnLine(origin.name)}] ` };
  const shown = isOwn(origin) ? parts : [sender, ...parts];
  return shown.map((part) => ({
    sessionUpdate: "user_message_chunk",
    content: toContent(part),
    _meta,
  }));
}

/** Shows a remark of the agent as a notice, or as a thought if the editor has no notices. */
export function notice(
  severity: "info" | "warning" | "error",
  title: string,
  { showsNotices }: Pick<EditorContext, "showsNotices">,
): readonly SessionUpdate[] {
  return showsNotices ? [{ sessionUpdate: "notice", severity, title }] : thought(title);
}

function toTokens({ inputTokens, outputTokens, thoughtTokens, cachedTokens }: Usage) {
  return { input: inputTokens, output: outputTokens, thought: thoughtTokens, cached: cachedTokens };
}
