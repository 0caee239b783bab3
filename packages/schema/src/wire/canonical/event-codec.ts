import type { AgentEvent, EventHeader, SessionEvent } from "../../event/agent-event.js";
import { isRfcKind } from "../../event/agent-event.js";
import type { TaskState } from "../../event/task-state.js";
import { isTerminalState } from "../../event/task-state.js";
import { findExtensionValue } from "../../extension/extension-metadata.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import type { DevelopmentToolEvent } from "../../gen/development_tool/event.js";
import type { SessionEventInfo } from "../../gen/dt_session/event.js";
import {
  encodeMessage,
  isObject,
  type JsonObject,
  parseMessage,
} from "../../validation/message-json.js";
import type { Messages } from "../../validation/messages.js";
import type { A2aState, A2aStatusUpdate } from "../a2a/a2a.js";
import { compact, nonEmpty, readObject } from "../a2a/read-json.js";
import {
  decodeContent,
  type EncodedContent,
  encodeContent,
  type StatusContent,
} from "./content-codec.js";

/** Extensions that a client has activated, and their URIs. */
export interface Activation {
  readonly uris: ExtensionUris;
  readonly developmentTool: boolean;
  readonly session: boolean;
}

/**
 * Returns true if a client of the RFC's extension gets the event: every event if the client has also
 * activated the session extension, else only events of the RFC.
 */
export function isVisible(event: SessionEvent, activation: Activation): boolean {
  return activation.session || isRfcEvent(event);
}

/** An event that A2A encodes as a status update. */
export type StatusEvent = StatusContent & EventHeader;

/**
 * Encodes an event as A2A's status update, with the headers of the activated extensions.
 *
 * `isFinal` is true if the stream ends with this event. The default is true only for a change to a
 * terminal state, so the caller must set `isFinal` if another event ends the stream. (RFC 3.2)
 */
export function encodeEvent(
  event: StatusEvent,
  activation: Activation,
  isFinal = event.kind === "STATE_CHANGE" && isTerminalState(event.state),
): A2aStatusUpdate {
  const { role, parts } = encodeContent(event);
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
              taskId: event.taskId,
              contextId: event.contextId,
              metadata: nonEmpty(kindHeaders(event, activation)),
            }),
    }),
    isFinal,
    metadata: nonEmpty(compact(headers(event, activation))),
  });
}

/**
 * Inverse of {@link encodeEvent}, for a client that activated both extensions.
 *
 * An update without our header is decoded by its content. An update of an unknown kind becomes
 * an UNKNOWN event with the same parts.
 */
export function decodeEvent(update: A2aStatusUpdate, uris: ExtensionUris): StatusEvent {
  const header = findExtensionValue(update.metadata, uris.developmentTool);
  const info = findExtensionValue(update.metadata, uris.session);
  const sessionInfo = parseHeaderFields("SessionEventInfo", info);
  const rfcHeader = parseHeaderFields("DevelopmentToolEvent", header);
  const content = decodeContent({
    ...findKind(header, info),
    parts: update.status.message?.parts ?? [],
    messageId: update.status.message?.messageId ?? "",
    error: rfcHeader.error,
    info: sessionInfo,
  });
  return { ...content, ...decodeHeader(update, rfcHeader, sessionInfo) } as StatusEvent;
}

/** Converts a state of another agent to the nearest `TaskState`. */
export function toTaskState(state: A2aState): TaskState {
  return state === "unknown" ? "submitted" : state;
}

/** Encodes the headers in the metadata of an event, one key for each activated extension. */
function headers(event: StatusEvent, activation: Activation): JsonObject {
  const { uris } = activation;
  return {
    [uris.developmentTool]: activation.developmentTool ? rfcHeader(event) : undefined,
    [uris.session]: activation.session
      ? encodeMessage("SessionEventInfo", sessionInfo(event))
      : undefined,
  };
}

function rfcHeader(event: StatusEvent): JsonObject {
  return compact({
    kind: isRfcEvent(event) ? wireKindOf(event) : undefined,
    model: event.model,
    user_tier: event.userTier,
    error: event.error,
  });
}

function sessionInfo(event: StatusEvent): SessionEventInfo {
  return {
    // A kind that a newer agent added is passed on unchanged.
    kind: isRfcEvent(event)
      ? "SESSION_EVENT_KIND_UNSPECIFIED"
      : (wireKindOf(event) as SessionEventInfo["kind"]),
    cursor: event.cursor ?? "",
    traceId: event.traceId ?? "",
    ...(event.kind === "USER_PROMPT" && { origin: event.origin }),
    parentCallId: (event.kind === "TOOL_CALL_UPDATE" && event.parentCallId) || "",
    ...(event.kind === "TOOL_CALL_UPDATE" &&
      event.answer !== undefined && { answer: event.answer }),
    ...(event.usage !== undefined && { usage: event.usage }),
  };
}

/**
 * Encodes the kind of an event, and the origin of a prompt, for the metadata of a message. A task's history
 * has only messages, so kind and origin would otherwise be lost.
 */
export function kindHeaders(event: AgentEvent, activation: Activation): JsonObject {
  const { uris, developmentTool, session } = activation;
  const kind = wireKindOf(event);
  if (kind === undefined) return {};
  if (isRfcEvent(event)) return developmentTool ? { [uris.developmentTool]: { kind } } : {};
  if (!session) return {};
  const origin = event.kind === "USER_PROMPT" ? encodeMessage("Origin", event.origin) : undefined;
  return { [uris.session]: compact({ kind, origin }) };
}

/** Returns true if an event belongs to the RFC's extension, and not to our session extension. */
export function isRfcEvent(event: AgentEvent): boolean {
  return isRfcKind(event.kind) && !(event.kind === "UNKNOWN" && event.extension === "session");
}

function wireKindOf(event: AgentEvent): string | undefined {
  return event.kind === "UNKNOWN" ? event.wireKind || undefined : event.kind;
}

/** Finds the kind of an event in its two headers. A kind that a newer agent added is not an error. */
export function findKind(
  header: unknown,
  info: unknown,
): Pick<EncodedContent, "kind" | "extension"> {
  const sessionKind = kindIn("SessionEventInfo", info);
  if (sessionKind !== undefined) return { kind: sessionKind, extension: "session" };
  return { kind: kindIn("DevelopmentToolEvent", header) };
}

type HeaderName = "DevelopmentToolEvent" | "SessionEventInfo";

function kindIn(name: HeaderName, header: unknown): string | undefined {
  const raw = isObject(header) ? (header.kind ?? undefined) : undefined;
  if (raw === undefined) return undefined;
  const kind = typeof raw === "string" ? raw : parseMessage(name, { kind: raw }, "metadata").kind;
  return kind.endsWith("_KIND_UNSPECIFIED") ? undefined : kind;
}

/** Parses all fields of a header except its kind. */
export function parseHeaderFields<TName extends HeaderName>(
  name: TName,
  header: unknown,
): Messages[TName] {
  const { kind: _, ...rest } = readObject(header ?? {}, "metadata");
  return parseMessage(name, rest, "metadata");
}

function decodeHeader(
  update: A2aStatusUpdate,
  { model, userTier, error }: DevelopmentToolEvent,
  info: SessionEventInfo,
): EventHeader {
  return compact({
    taskId: update.taskId,
    contextId: update.contextId,
    state: toTaskState(update.status.state),
    at: update.status.timestamp ?? "",
    model: model || undefined,
    userTier: userTier || undefined,
    error: error || undefined,
    usage: info.usage,
    traceId: info.traceId || undefined,
    cursor: info.cursor || undefined,
  });
}

function messageIdOf(event: SessionEvent): string {
  if (event.kind === "USER_PROMPT") return event.messageId;
  if (event.cursor !== undefined) return `${event.taskId}:${event.cursor}`;
  // Live output has no cursor, so the id of its message has the call and the time instead.
  const callId = event.kind === "TOOL_CALL_UPDATE" ? `${event.toolCall.toolCallId}:` : "";
  return `${event.taskId}:live:${callId}${event.at}`;
}
