import type { ToolCall } from "../gen/development_tool/tool_call.js";
import { isTerminalStatus, isWaiting } from "../tool-call/tool-call-status.js";
import type { JsonObject } from "../validation/message-json.js";
import type { SessionEvent, ToolCallUpdate } from "./agent-event.js";
import { EVENT_PAYLOADS } from "./event-payload.js";
import { reduceArtifacts } from "./reduce-artifacts.js";
import { isFactEvent, withFact } from "./session-facts.js";
import { isTerminalState, isWaitingState } from "./task-state.js";
import type { ItemEvent, TaskView, ViewItem } from "./task-view.js";

/**
 * Maximum number of items in a view. Older items are dropped, and `earlierItems` counts them. Because
 * of this bound, folding an event does not cost more in a longer conversation.
 */
export const MAX_VIEW_ITEMS = 200;

/** Folds one event into a view. Server, client and terminal share this one fold. */
export function reduceTaskView(view: TaskView, event: SessionEvent): TaskView {
  const next = withHeader(view, event);
  switch (event.kind) {
    case "STATE_CHANGE":
      return withStateChange(next, event);
    case "QUEUE":
      return { ...next, queue: event.prompts };
    case "AGENT_SETTINGS":
      return { ...next, settings: event.settings };
    case "ARTIFACT":
      return { ...next, artifacts: reduceArtifacts(next.artifacts ?? [], event) };
    case "TEXT_CONTENT":
      return withText(next, event);
    case "TOOL_CALL_UPDATE":
      return withToolCall(next, event);
    case "USER_PROMPT":
      // A prompt that its sender has shown before the turn began is not added again.
      if (hasPrompt(next, event.messageId)) return { ...next, isTextOpen: false };
      return withItem(next, { at: event.at, event: itemOf(event) });
    default:
      return isFactEvent(event)
        ? withFact(next, event)
        : withItem(next, { at: event.at, event: itemOf(event) });
  }
}

// Replaces the header of a view. The error of a turn that ended stays until the next event.
// Presence describes the moment of a request, so any event removes it.
function withHeader(view: TaskView, event: SessionEvent): TaskView {
  const { error: _, presence: __, ...rest } = view;
  return {
    ...rest,
    taskId: event.taskId,
    contextId: event.contextId,
    state: event.state,
    at: event.at,
    ...(event.model !== undefined && { model: event.model }),
    ...(event.usage !== undefined && { usage: event.usage }),
    ...(event.cursor !== undefined && { cursor: event.cursor }),
    ...(event.error !== undefined && { error: event.error }),
  };
}

function withStateChange(view: TaskView, event: SessionEvent & { kind: "STATE_CHANGE" }): TaskView {
  const openCalls = isTerminalState(event.state)
    ? []
    : // A subscriber that missed events gets the waiting calls here.
      (event.waiting ?? []).reduce(openCallsAfter, view.openCalls);
  const endsTurn = isWaitingState(event.state) && !openCalls.some(isWaiting);
  const { statusParts: _, ...rest } = view;
  return {
    ...rest,
    ...(event.statusParts !== undefined && { statusParts: event.statusParts }),
    openCalls,
    isTextOpen: view.isTextOpen && !endsTurn,
  };
}

function withText(view: TaskView, event: SessionEvent & { kind: "TEXT_CONTENT" }): TaskView {
  const last = view.items.at(-1);
  if (!view.isTextOpen || last?.event.kind !== "TEXT_CONTENT") {
    return { ...withItem(view, { at: event.at, event: itemOf(event) }), isTextOpen: true };
  }
  const text = last.event.text + event.text;
  const attachments = [...(last.event.attachments ?? []), ...(event.attachments ?? [])];
  const items = view.items.slice(0, -1);
  const joined = { kind: "TEXT_CONTENT" as const, text };
  items.push({ at: last.at, event: attachments.length > 0 ? { ...joined, attachments } : joined });
  return { ...view, items };
}

function withToolCall(
  view: TaskView,
  event: SessionEvent & { kind: "TOOL_CALL_UPDATE" },
): TaskView {
  const { toolCall } = event;
  const { toolCallId } = toolCall;
  const openCalls = openCallsAfter(view.openCalls, toolCall);
  const index = view.items.findLastIndex(
    (item) =>
      item.event.kind === "TOOL_CALL_UPDATE" && item.event.toolCall.toolCallId === toolCallId,
  );
  const earlier = view.items[index];
  if (earlier === undefined) {
    return withItem({ ...view, openCalls }, { at: event.at, event: itemOf(event) });
  }
  const items = [...view.items];
  const known = earlier.event.kind === "TOOL_CALL_UPDATE" ? earlier.event : undefined;
  items[index] = { at: earlier.at, event: { ...known, ...toCallItem(event) } };
  return { ...view, openCalls, items };
}

/** Returns true if the view already has the prompt as an item. Prompts without an id never match. */
function hasPrompt({ items }: TaskView, messageId: string): boolean {
  if (messageId === "") return false;
  return items.some(({ event }) => event.kind === "USER_PROMPT" && event.messageId === messageId);
}

function openCallsAfter(calls: readonly ToolCall[], call: ToolCall): readonly ToolCall[] {
  if (isTerminalStatus(call.status)) {
    return calls.filter((open) => open.toolCallId !== call.toolCallId);
  }
  return calls.some((open) => open.toolCallId === call.toolCallId)
    ? calls.map((open) => (open.toolCallId === call.toolCallId ? call : open))
    : [...calls, call];
}

function withItem(view: TaskView, item: ViewItem): TaskView {
  const items = [...view.items, item];
  if (items.length <= MAX_VIEW_ITEMS) return { ...view, items, isTextOpen: false };
  items.shift();
  return { ...view, items, isTextOpen: false, earlierItems: view.earlierItems + 1 };
}

/** Removes the header from an event of the conversation. */
function itemOf(event: SessionEvent & ItemEvent): ItemEvent {
  switch (event.kind) {
    case "TEXT_CONTENT":
      return {
        kind: event.kind,
        text: event.text,
        ...(event.attachments !== undefined && { attachments: event.attachments }),
      };
    case "TOOL_CALL_UPDATE":
      return toCallItem(event);
    case "USER_PROMPT":
      return {
        kind: event.kind,
        messageId: event.messageId,
        parts: event.parts,
        origin: event.origin,
      };
    case "UNKNOWN":
      return {
        kind: event.kind,
        wireKind: event.wireKind,
        parts: event.parts,
        ...(event.extension !== undefined && { extension: event.extension }),
      };
    default: {
      // The cast is safe, because the table names the field of each kind.
      const [, field = ""] = EVENT_PAYLOADS[event.kind];
      return { kind: event.kind, [field]: (event as unknown as JsonObject)[field] } as ItemEvent;
    }
  }
}

function toCallItem({ kind, toolCall, answer, parentCallId }: ToolCallUpdate): ToolCallUpdate {
  return {
    kind,
    toolCall,
    ...(answer !== undefined && { answer }),
    ...(parentCallId !== undefined && { parentCallId }),
  };
}
