import type { AgentEvent, EventHeader, StateChange } from "../../event/agent-event.js";
import { EVENT_PAYLOADS, type PayloadEvent } from "../../event/event-payload.js";
import type { Part } from "../../event/part.js";
import type { SessionEventInfo } from "../../gen/dt_session/event.js";
import {
  encodeMessage,
  isObject,
  type JsonObject,
  type MessageName,
  parseMessage,
} from "../../validation/message-json.js";
import type { Messages } from "../../validation/messages.js";

/** An event that A2A encodes as a status update. */
export type StatusContent = Exclude<AgentEvent, { readonly kind: "ARTIFACT" }>;

/**
 * Encodes the content of an event: the role of its message, and the parts. (RFC 3.2,
 * Agent-to-Client Messages)
 */
export function encodeContent(event: StatusContent & Partial<Pick<EventHeader, "error">>): {
  readonly role: "user" | "agent";
  readonly parts: readonly Part[];
} {
  switch (event.kind) {
    case "USER_PROMPT":
      return { role: "user", parts: event.parts };
    case "TEXT_CONTENT":
      return {
        role: "agent",
        parts: [{ type: "text", text: event.text }, ...(event.attachments ?? [])],
      };
    case "STATE_CHANGE":
      return { role: "agent", parts: stateChangeParts(event) };
    case "UNKNOWN":
      return { role: "agent", parts: event.parts };
    default:
      return { role: "agent", parts: [{ type: "data", data: payloadOf(event) }] };
  }
}

// Returns the parts of a state change. Our clients read a failure from the metadata, and all others
// read the text part.
function stateChangeParts(event: AgentEvent & { kind: "STATE_CHANGE"; error?: string }): Part[] {
  const waiting = (event.waiting ?? []).map(
    (toolCall): Part => ({ type: "data", data: encodeMessage("ToolCall", toolCall) }),
  );
  const error: Part[] = event.error === undefined ? [] : [{ type: "text", text: event.error }];
  return [...waiting, ...error, ...(event.statusParts ?? [])];
}

// Encodes the protobuf message of an event. The casts are safe, because the table lists the message
// of each kind and the field that contains the message.
function payloadOf(event: PayloadEvent): JsonObject {
  const [name, field] = EVENT_PAYLOADS[event.kind];
  const message = field === undefined ? event : (event as unknown as JsonObject)[field];
  return encodeMessage(name, message as Messages[MessageName]);
}

/** Input of {@link decodeContent}. */
export interface EncodedContent {
  /** Kind in the metadata; undefined if the metadata has no kind. */
  readonly kind: string | undefined;
  /** Set if the kind was in the header of the session extension. */
  readonly extension?: "session";
  readonly parts: readonly Part[];
  readonly messageId: string;
  /**
   * Error in the header. The message repeats the error as text; the decoder does not add that text to
   * `statusParts`.
   */
  readonly error?: string | undefined;
  readonly info: Pick<SessionEventInfo, "origin" | "answer" | "parentCallId"> | undefined;
}

/** Inverse of {@link encodeContent}. */
export function decodeContent(content: EncodedContent): StatusContent {
  const { kind = guessKind(content.parts), parts, info } = content;
  switch (kind) {
    case "STATE_CHANGE": {
      return { kind, ...decodeStatusParts(parts, content.error ?? "", "parts") };
    }
    case "TEXT_CONTENT": {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      const attachments = parts.filter((part) => part.type !== "text");
      return { kind, text, ...(attachments.length > 0 && { attachments }) };
    }
    case "TOOL_CALL_UPDATE":
      return {
        kind,
        toolCall: payload("ToolCall", parts),
        ...(info?.answer !== undefined && { answer: info.answer }),
        ...(info?.parentCallId && { parentCallId: info.parentCallId }),
      };
    case "USER_PROMPT":
      return {
        kind,
        messageId: content.messageId,
        parts,
        origin: info?.origin ?? { principal: "unknown", name: "" },
      };
    default:
      return Object.hasOwn(EVENT_PAYLOADS, kind)
        ? decodePayload(kind as PayloadEvent["kind"], parts)
        : {
            kind: "UNKNOWN",
            wireKind: kind,
            parts,
            ...(content.extension !== undefined && { extension: content.extension }),
          };
  }
}

// Decodes the protobuf message of an event. The cast is safe, because the table lists the message of
// each kind and the field that contains the message.
function decodePayload(kind: PayloadEvent["kind"], parts: readonly Part[]): PayloadEvent {
  const [name, field] = EVENT_PAYLOADS[kind];
  const message = payload(name, parts);
  return { kind, ...(field === undefined ? message : { [field]: message }) } as PayloadEvent;
}

/**
 * Separates the waiting calls in the message of a status from the other parts that the agent sent.
 * The text of the error, which comes before these parts, is left out.
 */
export function decodeStatusParts(
  parts: readonly Part[],
  error: string,
  path: string,
): Pick<StateChange, "waiting" | "statusParts"> {
  const waiting = parts.flatMap((part, index) =>
    isToolCallPart(part) ? [parseMessage("ToolCall", part.data, `${path}[${index}].data`)] : [],
  );
  const [first, ...rest] = parts.filter((part) => !isToolCallPart(part));
  const isError = error !== "" && first?.type === "text" && first.text === error;
  const statusParts = first === undefined || isError ? rest : [first, ...rest];
  return {
    ...(waiting.length > 0 && { waiting }),
    ...(statusParts.length > 0 && { statusParts }),
  };
}

function payload<TName extends MessageName>(name: TName, parts: readonly Part[]): Messages[TName] {
  const index = parts.findIndex((part) => part.type === "data");
  const part = parts[index];
  return parseMessage(
    name,
    part?.type === "data" ? part.data : undefined,
    `parts[${Math.max(index, 0)}].data`,
  );
}

// Finds the kind of an update by its parts, because a plain A2A agent sends no kind.
function guessKind(parts: readonly Part[]): string {
  if (parts.length === 0) return "STATE_CHANGE";
  if (parts.some(isToolCallPart)) return "TOOL_CALL_UPDATE";
  return parts.every((part) => part.type === "text") ? "TEXT_CONTENT" : "";
}

/** Returns true if a part looks like a tool call: its data has the id of a call. */
export function isToolCallPart(part: Part): part is Part & { type: "data" } {
  return (
    part.type === "data" &&
    isObject(part.data) &&
    ("tool_call_id" in part.data || "toolCallId" in part.data)
  );
}
