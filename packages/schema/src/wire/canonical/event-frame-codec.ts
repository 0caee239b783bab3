import type { ArtifactUpdate, EventHeader, SessionEvent } from "../../event/agent-event.js";
import { isWaitingState } from "../../event/task-state.js";
import { findExtensionValue } from "../../extension/extension-metadata.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import { encodeMessage } from "../../validation/message-json.js";
import type { A2aArtifactUpdate, A2aFrame } from "../a2a/a2a.js";
import { compact, readObject } from "../a2a/read-json.js";
import { type Activation, decodeEvent, encodeEvent, parseHeaderFields } from "./event-codec.js";

/** A frame that contains one event. */
export type EventFrame = A2aFrame & { readonly type: "status-update" | "artifact-update" };

/** An artifact, or a chunk of one, with its header. */
export type ArtifactEvent = ArtifactUpdate & EventHeader;

/** Encodes an event as a frame: an artifact as an artifact update, any other event as a status update. */
export function encodeEventFrame(
  event: SessionEvent,
  activation: Activation,
  isFinal?: boolean,
): EventFrame {
  return event.kind === "ARTIFACT"
    ? { type: "artifact-update", ...encodeArtifactUpdate(event, activation) }
    : { type: "status-update", ...encodeEvent(event, activation, isFinal) };
}

/**
 * Inverse of {@link encodeEventFrame}, for a client that activated both extensions. An agent
 * without our session extension sends artifacts without a state and a time. Such an artifact gets
 * the state and the time of `known`.
 */
export function decodeEventFrame(
  frame: EventFrame,
  uris: ExtensionUris,
  known?: Pick<EventHeader, "state" | "at">,
): SessionEvent {
  if (frame.type === "status-update") return decodeEvent(frame, uris);
  const { taskId, contextId, artifact, append, lastChunk, metadata } = frame;
  const info = readObject(findExtensionValue(metadata, uris.session) ?? {}, "metadata");
  const { state, at } = { ...known, ...info } as Partial<EventHeader>;
  const { cursor, traceId, usage } = parseHeaderFields("SessionEventInfo", info);
  return compact({
    kind: "ARTIFACT" as const,
    artifact,
    append,
    lastChunk,
    taskId,
    contextId,
    state: state === "submitted" || (state && isWaitingState(state)) ? state : ("working" as const),
    at: `${at ?? ""}`,
    usage,
    traceId: traceId || undefined,
    cursor: cursor || undefined,
  });
}

// Encodes an artifact or a chunk. A2A's artifact update has no state and no time, so the header of
// the session extension contains both.
function encodeArtifactUpdate(
  { taskId, contextId, artifact, append, lastChunk, ...event }: ArtifactEvent,
  { uris, session }: Activation,
): A2aArtifactUpdate {
  const { cursor = "", traceId = "", usage, at, state } = event;
  const info = encodeMessage("SessionEventInfo", {
    kind: "SESSION_EVENT_KIND_UNSPECIFIED",
    cursor,
    traceId,
    parentCallId: "",
    ...(usage !== undefined && { usage }),
  });
  const metadata = session ? { [uris.session]: { ...info, at, state } } : undefined;
  return compact({ taskId, contextId, artifact, append, lastChunk, metadata });
}
