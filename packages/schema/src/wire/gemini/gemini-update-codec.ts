import type { Part } from "../../event/part.js";
import type { Usage } from "../../gen/dt_session/event.js";
import { isTerminalStatus } from "../../tool-call/tool-call-status.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aArtifactUpdate, A2aStatusUpdate } from "../a2a/a2a.js";
import { compact, findObject, findString, readObject } from "../a2a/read-json.js";
import {
  advanceCall,
  announce,
  type GeminiDraft,
  type GeminiHeader,
  markWorking,
  refuseAnswers,
  storeCall,
  withoutQuestion,
} from "./gemini-draft.js";
import type { GeminiCall } from "./gemini-memory.js";
import { announceRetry, readState } from "./gemini-state-codec.js";
import { decodeGeminiToolCall, type GeminiToolCall } from "./gemini-tool-call-codec.js";

const ERROR_PREFIX = "Agent Error, unknown agent message: ";

/**
 * Applies a status update to a draft: first its content, unless its kind is `state-change`, and then
 * its state, if its kind is `state-change` or the update is final.
 */
export function readUpdate(draft: GeminiDraft, update: A2aStatusUpdate): void {
  const { status, metadata = {}, isFinal } = update;
  const parts = status.message?.parts ?? [];
  const coderAgent = findObject(metadata, "coderAgent", "metadata") ?? {};
  const kind =
    findString(coderAgent, "kind", "metadata.coderAgent") ?? (isFinal ? "state-change" : "");
  draft.memory = { ...draft.memory, at: status.timestamp ?? draft.memory.at };
  draft.header = readHeader(metadata);

  if (kind !== "state-change") {
    announceRetry(draft);
    readContent(draft, kind, parts);
  }
  if (kind !== "state-change" && !isFinal) return;
  const text = kind === "state-change" ? joinText(parts) : "";
  const error = errorOf(findString(metadata, "error", "metadata"), text);
  readState(draft, status.state, { isFinal, text, error });
}

/** Applies the live output of a running call. The peer sends the whole output as an artifact each time. */
export function readArtifact(draft: GeminiDraft, { artifact }: A2aArtifactUpdate): void {
  const [, toolCallId] = /^tool-(.+)-output$/s.exec(artifact.artifactId) ?? [];
  if (toolCallId === undefined) {
    announce(draft, { kind: "UNKNOWN", wireKind: "artifact-update", parts: artifact.parts });
    return;
  }
  if (draft.memory.calls.get(toolCallId)?.toolCall.status !== "EXECUTING") return;
  // The peer sends the screen of a terminal, padded with spaces and empty lines to its full size.
  const lines = joinText(artifact.parts).split("\n");
  const liveContent = lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
  advanceCall(draft, toolCallId, { type: "print", liveContent });
}

/** Applies the content of an update by its kind. */
export function readContent(draft: GeminiDraft, kind: string, parts: readonly Part[]): void {
  switch (kind) {
    case "text-content":
      markWorking(draft);
      announce(draft, { kind: "TEXT_CONTENT", text: joinText(parts) });
      return;
    case "thought":
      markWorking(draft);
      for (const [index, part] of parts.entries()) readThought(draft, part, index);
      return;
    case "citation":
      markWorking(draft);
      readCitations(draft, joinText(parts));
      return;
    case "tool-call-update":
    case "tool-call-confirmation":
      for (const [index, part] of parts.entries()) readCallPart(draft, kind, part, index);
      return;
    default:
      announce(draft, { kind: "UNKNOWN", wireKind: kind, parts });
  }
}

function readCallPart(draft: GeminiDraft, kind: string, part: Part, index: number): void {
  if (part.type === "text") {
    // The peer could not use an answer and sends the reason.
    announce(draft, { kind: "CONSOLE_LOG", log: { type: "error", content: part.text } });
    refuseAnswers(draft, draft.memory.calls.values());
    return;
  }
  const call =
    part.type === "data" ? decodeGeminiToolCall(part.data, `parts[${index}].data`) : undefined;
  if (call === undefined) announce(draft, { kind: "UNKNOWN", wireKind: kind, parts: [part] });
  else readCall(draft, call);
}

/** Applies an update of a tool call. Ignores updates that change nothing. */
export function readCall(draft: GeminiDraft, { move, ...known }: GeminiToolCall): void {
  const earlier = draft.memory.calls.get(known.toolCallId);
  if (earlier !== undefined && isTerminalStatus(earlier.toolCall.status)) return;
  const call: GeminiCall = earlier
    ? { ...earlier, toolCall: { ...earlier.toolCall, inputParameters: known.inputParameters } }
    : { toolCall: { ...known, status: "PENDING", result: undefined }, isAnnounced: false };
  storeCall(draft, call);
  switch (move.type) {
    case "prepare":
      return;
    case "queue":
      storeCall(draft, withoutQuestion(call));
      return;
    case "ask":
      if (call.toolCall.status !== "PENDING") return;
      // The peer may repeat a question after its answer. The question is only open again if the
      // peer then waits.
      if (call.answer === undefined) storeCall(draft, { ...call, question: move.request });
      else refuseAnswers(draft, [call]);
      return;
    default:
      advanceCall(draft, known.toolCallId, move);
  }
}

function readThought(draft: GeminiDraft, part: Part, index: number): void {
  const path = `parts[${index}].data`;
  const data = readObject(part.type === "data" ? part.data : undefined, path);
  const subject = findString(data, "subject", path) ?? "";
  const description = findString(data, "description", path) ?? "";
  announce(draft, { kind: "THOUGHT", thought: { subject, description } });
}

// Announces the citations of a text. The text has a heading and one line for each source: "(title)
// address", or only the address.
function readCitations(draft: GeminiDraft, text: string): void {
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed === "Citations:") continue;
    const [, title = "", uri] = /^(?:\((.*)\) )?([a-z][a-z0-9+.-]*:\S+)$/i.exec(trimmed) ?? [];
    const citation = uri === undefined ? { uri: "", title: trimmed } : { uri, title };
    announce(draft, { kind: "CITATION", citation });
  }
}

function errorOf(error: string | undefined, text: string): string | undefined {
  if (error === undefined) return undefined;
  const detail = text.startsWith(ERROR_PREFIX) ? text.slice(ERROR_PREFIX.length) : text;
  return detail === "" || error.startsWith(detail) ? error : `${error} ${detail}`;
}

function readHeader(metadata: JsonObject): GeminiHeader {
  return compact({
    model: findString(metadata, "model", "metadata"),
    userTier: findString(metadata, "userTier", "metadata"),
    traceId: findString(metadata, "traceId", "metadata"),
    usage: isObject(metadata.usageMetadata) ? readUsage(metadata.usageMetadata) : undefined,
  });
}

function readUsage(usage: JsonObject): Usage {
  const count = (key: string) => (Number.isInteger(usage[key]) ? Number(usage[key]) : 0);
  return {
    inputTokens: count("promptTokenCount"),
    outputTokens: count("candidatesTokenCount"),
    thoughtTokens: count("thoughtsTokenCount"),
    cachedTokens: count("cachedContentTokenCount"),
  };
}

/** Joins the text parts of an update. */
export function joinText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
