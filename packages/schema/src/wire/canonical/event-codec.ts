import type { EventHeader, SessionEvent } from "../../event/agent-event.js";
import { isRfcKind } from "../../event/agent-event.js";
import type { TaskState } from "../../event/task-state.js";
import { isTerminalState } from "../../event/task-state.js";
import { findExtensionValue } from "../../extension/extension-metadata.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import type { SessionEventInfo } from "../../gen/dt_session/event.js";
import {
  encodeMessage,
  failAt,
  isObject,
  type JsonObject,
  parseMessage,
} from "../../validation/message-json.js";
import type { A2aState, A2aStatusUpdate } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";
import { type AgentEventOf, decodeContent, encodeContent } from "./content-codec.js";

/** Which of our extensions a peer has activated, and under which URIs. */
export interface Activation {
  readonly uris: ExtensionUris;
  readonly developmentTool: boolean;
  readonly session: boolean;
}

/** Whether a peer with this activation is sent an event at all. */
export function isVisible(event: SessionEvent, activation: Activation): boolean {
  return activation.session || isRfcKind(event.kind);
}

/**
 * An event → A2A's status update, with the headers of the extensions that the peer activated.
 *
 * `isFinal` is what only the stream knows: whether it ends here though the task has not. (RFC 3.2)
 */
export function encodeEvent(
  event: SessionEvent,
  activation: Activation,
  isFinal = event.kind === "STATE_CHANGE" && isTerminalState(event.state),
): A2aStatusUpdate {
  const { role, parts } = encodeContent(event);
  const metadata = compact(headers(event, activation));
  return compact({
    taskId: event.taskId,
    contextId: event.contextId,
    status: compact({
      state: event.state,
      timestamp: event.at,
      message:
        parts.length === 0
          ? undefined
          : compact({
              messageId: messageIdOf(event),
              role,
              parts,
              metadata: nonEmpty(kindHeaders(event, activation)),
            }),
    }),
    isFinal,
    metadata: nonEmpty(metadata),
  });
}

/**
 * Inverse of {@link encodeEvent}, for a peer that activated both extensions.
 *
 * An update without our header is read by what its message holds; one with a kind that we do not know
 * becomes UNKNOWN and keeps its parts.
 */
export function decodeEvent(update: A2aStatusUpdate, uris: ExtensionUris): SessionEvent {
  const header = findExtensionValue(update.metadata, uris.developmentTool);
  const info = readInfo(findExtensionValue(update.metadata, uris.session));
  const kind = readKind(header, info);
  const content = decodeContent({
    kind,
    parts: update.status.message?.parts ?? [],
    messageId: update.status.message?.messageId ?? "",
    info,
  });
  return { ...content, ...decodeHeader(update, header, info) } as SessionEvent;
}

/** The task's state as we use it; those of other agents end a turn or ask for something. */
export function toTaskState(state: A2aState): TaskState {
  if (state === "rejected") return "failed";
  if (state === "auth-required") return "input-required";
  return state === "unknown" ? "submitted" : state;
}

/** The headers that stand in the metadata of an event: one key for each activated extension. */
function headers(event: SessionEvent, activation: Activation): JsonObject {
  const { uris } = activation;
  return {
    [uris.developmentTool]: activation.developmentTool ? rfcHeader(event) : undefined,
    [uris.session]: activation.session
      ? encodeMessage("SessionEventInfo", sessionInfo(event))
      : undefined,
  };
}

function rfcHeader(event: SessionEvent): JsonObject {
  return compact({
    kind: isRfcKind(event.kind) ? wireKindOf(event) : undefined,
    model: event.model,
    user_tier: event.userTier,
    error: event.error,
  });
}

function sessionInfo(event: SessionEvent): SessionEventInfo {
  return {
    kind: isRfcKind(event.kind) ? "SESSION_EVENT_KIND_UNSPECIFIED" : sessionKind(event),
    cursor: event.cursor ?? "",
    traceId: event.traceId ?? "",
    ...(event.kind === "USER_PROMPT" && { origin: event.origin }),
    ...(event.kind === "TOOL_CALL_UPDATE" &&
      event.answer !== undefined && { answer: event.answer }),
    ...(event.usage !== undefined && { usage: event.usage }),
  };
}

function sessionKind(event: SessionEvent): SessionEventInfo["kind"] {
  switch (event.kind) {
    case "USER_PROMPT":
    case "CITATION":
    case "CONSOLE_LOG":
    case "THOUGHT_SUMMARY":
    case "AGENT_SETTINGS":
    case "QUEUE":
      return event.kind;
    default:
      return "SESSION_EVENT_KIND_UNSPECIFIED";
  }
}

/** The kind alone, for a message's own metadata, so that it survives in a task's history. */
export function kindHeaders(event: AgentEventOf<SessionEvent>, activation: Activation): JsonObject {
  const { uris, developmentTool, session } = activation;
  const isRfc = isRfcKind(event.kind);
  if (isRfc && developmentTool) return { [uris.developmentTool]: { kind: wireKindOf(event) } };
  if (!isRfc && session) {
    const origin = event.kind === "USER_PROMPT" ? encodeMessage("Origin", event.origin) : undefined;
    return { [uris.session]: compact({ kind: event.kind, origin }) };
  }
  return {};
}

function wireKindOf(event: AgentEventOf<SessionEvent>): string {
  return event.kind === "UNKNOWN" ? event.wireKind : event.kind;
}

function readInfo(value: unknown): SessionEventInfo | undefined {
  if (value === undefined) return undefined;
  // A kind that a newer peer added is not an error: it is read from the raw value in readKind.
  const known = isObject(value) ? { ...value, kind: undefined } : value;
  const info = parseMessage("SessionEventInfo", known, "metadata");
  const kind = isObject(value) ? value.kind : undefined;
  return typeof kind === "string" ? { ...info, kind: kind as SessionEventInfo["kind"] } : info;
}

function readKind(header: unknown, info: SessionEventInfo | undefined): string | undefined {
  if (info !== undefined && info.kind !== "SESSION_EVENT_KIND_UNSPECIFIED") return info.kind;
  if (!isObject(header)) return undefined;
  const { kind } = header;
  if (kind === undefined || typeof kind === "string") return kind;
  return failAt("metadata.kind", "expected a string");
}

function decodeHeader(
  update: A2aStatusUpdate,
  header: unknown,
  info: SessionEventInfo | undefined,
): EventHeader {
  const known = isObject(header) ? { ...header, kind: undefined } : {};
  const { model, userTier, error } = parseMessage("DevelopmentToolEvent", known, "metadata");
  return compact({
    taskId: update.taskId,
    contextId: update.contextId,
    state: toTaskState(update.status.state),
    at: update.status.timestamp ?? "",
    model: model || undefined,
    userTier: userTier || undefined,
    error: error || undefined,
    usage: info?.usage,
    traceId: info?.traceId || undefined,
    cursor: info?.cursor || undefined,
  });
}

function messageIdOf(event: SessionEvent): string {
  if (event.kind === "USER_PROMPT") return event.messageId;
  return `${event.taskId}:${event.cursor ?? "live"}`;
}

function nonEmpty(metadata: JsonObject): JsonObject | undefined {
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}
