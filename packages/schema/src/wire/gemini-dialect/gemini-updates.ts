import type { SessionEvent } from "../../event/agent-event.js";
import type { Artifact, Part } from "../../event/part.js";
import type { Usage } from "../../gen/dt_session/event.js";
import type { JsonObject } from "../../validation/message-json.js";
import type { A2aFrame, A2aState } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";

/** Kind of an update, in `metadata.coderAgent.kind`. */
export type GeminiKind =
  | "state-change"
  | "text-content"
  | "thought"
  | "citation"
  | "tool-call-update"
  | "tool-call-confirmation";

/** One update of a stream. */
export interface GeminiUpdate {
  readonly kind: GeminiKind;
  readonly state: A2aState;
  readonly parts?: readonly Part[];
  readonly isFinal?: boolean;
  /** Fault of the agent, as a sentence. */
  readonly error?: string;
}

/** Context of an update: its event, the model, and the number of the update within the event. */
export interface UpdateContext {
  readonly event: SessionEvent;
  readonly model: string | undefined;
  readonly index: number;
}

/** Builds a status update. */
export function buildGeminiUpdate(
  { kind, state, parts = [], isFinal = false, error }: GeminiUpdate,
  { event, model, index }: UpdateContext,
): A2aFrame {
  const { taskId, contextId, at, traceId, usage } = event;
  const messageId = messageIdOf(event, index);
  return {
    type: "status-update",
    taskId,
    contextId,
    status: compact({
      state,
      message:
        parts.length === 0
          ? undefined
          : { role: "agent" as const, parts, messageId, taskId, contextId },
      timestamp: at,
    }),
    isFinal,
    metadata: compact({
      coderAgent: { kind },
      model,
      traceId,
      error,
      usageMetadata: usage && encodeUsage(usage),
    }),
  };
}

/** Builds an update with the live output of a call. Each such update replaces the same artifact. */
export function buildGeminiOutput(
  toolCallId: string,
  text: string,
  { taskId, contextId }: SessionEvent,
): A2aFrame {
  const artifact = buildGeminiArtifact(toolCallId, text);
  // gemini-cli's server sets these two flags, although each output is whole.
  return { type: "artifact-update", taskId, contextId, artifact, append: true, lastChunk: false };
}

/** Builds the artifact with the live output of a call. */
export function buildGeminiArtifact(toolCallId: string, text: string): Artifact {
  return { artifactId: `tool-${toolCallId}-output`, parts: [{ type: "text", text }] };
}

// Returns the id of an update's message. Several updates of one event have different ids.
function messageIdOf({ taskId, cursor, at }: SessionEvent, index: number): string {
  return `${taskId}:${cursor ?? `live:${at}`}${index === 0 ? "" : `:${index}`}`;
}

function encodeUsage({
  inputTokens,
  outputTokens,
  thoughtTokens,
  cachedTokens,
}: Usage): JsonObject {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    thoughtsTokenCount: thoughtTokens,
    cachedContentTokenCount: cachedTokens,
    totalTokenCount: inputTokens + outputTokens + thoughtTokens,
  };
}
