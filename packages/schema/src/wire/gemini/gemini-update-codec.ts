import type { Part } from "../../event/part.js";
import { isTerminalState } from "../../event/task-state.js";
import type { Usage } from "../../gen/dt_session/event.js";
import { isTerminalStatus, isWaiting } from "../../tool-call/tool-call-status.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aArtifactUpdate, A2aState, A2aStatusUpdate } from "../a2a/a2a.js";
import { compact, findObject, findString, readObject } from "../a2a/read-json.js";
import {
  endTurn,
  type GeminiDraft,
  type GeminiHeader,
  hasOpenQuestion,
  keepCall,
  moveOn,
  stepCall,
  tell,
  tellCall,
  tellStart,
  withoutQuestion,
} from "./gemini-draft.js";
import type { GeminiCall } from "./gemini-memory.js";
import { decodeGeminiToolCall, type GeminiToolCall } from "./gemini-tool-call-codec.js";

const ERROR_PREFIX = "Agent Error, unknown agent message: ";

/** Takes in a status update: its content by its kind, then the state that it brings. */
export function readUpdate(draft: GeminiDraft, update: A2aStatusUpdate): void {
  const { status, metadata = {}, isFinal } = update;
  const parts = status.message?.parts ?? [];
  const coderAgent = findObject(metadata, "coderAgent", "metadata") ?? {};
  const kind =
    findString(coderAgent, "kind", "metadata.coderAgent") ?? (isFinal ? "state-change" : "");
  draft.memory = { ...draft.memory, at: status.timestamp ?? draft.memory.at };
  draft.header = readHeader(metadata);

  if (kind !== "state-change") {
    tellRetry(draft);
    readContent(draft, kind, parts);
  }
  if (kind !== "state-change" && !isFinal) return;
  const text = kind === "state-change" ? joinText(parts) : "";
  const error = errorOf(findString(metadata, "error", "metadata"), text);
  readState(draft, status.state, { isFinal, text, error });
}

/** Live output: an artifact that each update replaces. Only of a call that runs. */
export function readArtifact(draft: GeminiDraft, { artifact }: A2aArtifactUpdate): void {
  const [, toolCallId] = /^tool-(.+)-output$/s.exec(artifact.artifactId) ?? [];
  if (toolCallId === undefined) {
    tell(draft, { kind: "UNKNOWN", wireKind: "artifact-update", parts: artifact.parts });
    return;
  }
  if (draft.memory.calls.get(toolCallId)?.toolCall.status !== "EXECUTING") return;
  // The peer sends the screen of a terminal, padded with spaces to its width and height.
  const lines = joinText(artifact.parts).split("\n");
  const liveContent = lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
  stepCall(draft, toolCallId, { type: "print", liveContent });
}

/** Takes in what an update says, by its kind. */
export function readContent(draft: GeminiDraft, kind: string, parts: readonly Part[]): void {
  switch (kind) {
    case "text-content":
      moveOn(draft);
      tell(draft, { kind: "TEXT_CONTENT", text: joinText(parts) });
      return;
    case "thought":
      moveOn(draft);
      for (const [index, part] of parts.entries()) readThought(draft, part, index);
      return;
    case "citation":
      moveOn(draft);
      readCitations(draft, joinText(parts));
      return;
    case "tool-call-update":
    case "tool-call-confirmation":
      for (const [index, part] of parts.entries()) readCallPart(draft, kind, part, index);
      return;
    default:
      tell(draft, { kind: "UNKNOWN", wireKind: kind, parts });
  }
}

/** What the state of an update comes with. */
interface StateContent {
  readonly isFinal: boolean;
  readonly text: string;
  readonly error: string | undefined;
}

/** Takes in a state. The peer rests in `input-required` whether it asks or has finished. */
export function readState(draft: GeminiDraft, state: A2aState, content: StateContent): void {
  const { isFinal, text } = content;
  const error = content.error ?? draft.memory.error;
  switch (state) {
    case "working":
      tellRetry(draft);
      if (content.error === undefined) startWorking(draft);
      else draft.memory = { ...draft.memory, error: content.error };
      return;
    case "input-required":
      if (!isFinal) return;
      if (askOpenQuestions(draft)) return;
      // With nothing to ask, a text is the reason for having stopped.
      endTurn(draft, (error ?? text) ? "failed" : "completed", (error ?? text) || undefined);
      return;
    case "canceled":
      warnOfCommands(draft);
      close(draft);
      endTurn(draft, state);
      return;
    case "completed":
      close(draft);
      endTurn(draft, state);
      return;
    case "failed":
    case "rejected":
    case "auth-required":
      close(draft);
      endTurn(draft, "failed", (error ?? text) || `the agent's task is ${state}`);
      return;
    default:
      return;
  }
}

// The peer cancels the task and forgets the process.
function warnOfCommands(draft: GeminiDraft): void {
  for (const { toolCall } of draft.memory.calls.values()) {
    if (toolCall.status !== "EXECUTING" || toolCall.toolName !== "run_shell_command") continue;
    const content = "gemini-cli's server may leave the canceled command running";
    tell(draft, { kind: "CONSOLE_LOG", log: { type: "warn", content } });
  }
}

function close(draft: GeminiDraft): void {
  draft.memory = { ...draft.memory, isClosed: true };
}

function startWorking(draft: GeminiDraft): void {
  const { state } = draft.memory;
  if (state === "working" || hasOpenQuestion(draft.memory)) return;
  // A new turn: the calls of the one before will not be heard of again.
  const calls = isTerminalState(state) ? new Map<string, GeminiCall>() : draft.memory.calls;
  draft.memory = { ...draft.memory, calls, state: "working" };
  tell(draft, { kind: "STATE_CHANGE" });
}

// The peer rests and waits: now its questions are asked. One that was answered and did not move is
// open again, since the peer did not take the answer.
function askOpenQuestions(draft: GeminiDraft): boolean {
  const asking = [...draft.memory.calls.values()].filter((call) => call.question !== undefined);
  if (asking.length === 0) return false;
  tellStart(draft);
  for (const { answer: _, ...call } of asking) {
    const toolCall = { ...call.toolCall, confirmationRequest: call.question };
    if (isWaiting(call.toolCall)) keepCall(draft, call);
    else tellCall(draft, call, toolCall);
  }
  const waiting = [...draft.memory.calls.values()]
    .map(({ toolCall }) => toolCall)
    .filter(isWaiting);
  draft.memory = { ...draft.memory, state: "input-required" };
  tell(draft, { kind: "STATE_CHANGE", waiting });
  return true;
}

// Something followed an error, so the agent went on: what was wrong is a line for whoever watches.
function tellRetry(draft: GeminiDraft): void {
  const { error, ...memory } = draft.memory;
  if (error === undefined) return;
  draft.memory = memory;
  tell(draft, { kind: "CONSOLE_LOG", log: { type: "warn", content: error } });
}

function readCallPart(draft: GeminiDraft, kind: string, part: Part, index: number): void {
  if (part.type === "text") {
    // The peer could not act on an answer, and says why.
    tell(draft, { kind: "CONSOLE_LOG", log: { type: "error", content: part.text } });
    return;
  }
  const call =
    part.type === "data" ? decodeGeminiToolCall(part.data, `parts[${index}].data`) : undefined;
  if (call === undefined) tell(draft, { kind: "UNKNOWN", wireKind: kind, parts: [part] });
  else readCall(draft, call);
}

/** Takes in where a call is now; whatever repeats what is known is absorbed. */
export function readCall(draft: GeminiDraft, { move, ...known }: GeminiToolCall): void {
  const earlier = draft.memory.calls.get(known.toolCallId);
  if (earlier !== undefined && isTerminalStatus(earlier.toolCall.status)) return;
  const call: GeminiCall = earlier
    ? { ...earlier, toolCall: { ...earlier.toolCall, inputParameters: known.inputParameters } }
    : { toolCall: { ...known, status: "PENDING", result: undefined }, isTold: false };
  keepCall(draft, call);
  switch (move.type) {
    case "prepare":
      return;
    case "queue":
      keepCall(draft, withoutQuestion(call));
      return;
    case "ask":
      // Repeated after an answer, it is not another question.
      if (call.toolCall.status === "PENDING" && call.answer === undefined) {
        keepCall(draft, { ...call, question: move.request });
      }
      return;
    default:
      stepCall(draft, known.toolCallId, move);
  }
}

function readThought(draft: GeminiDraft, part: Part, index: number): void {
  const path = `parts[${index}].data`;
  const data = readObject(part.type === "data" ? part.data : undefined, path);
  const subject = findString(data, "subject", path) ?? "";
  const description = findString(data, "description", path) ?? "";
  tell(draft, { kind: "THOUGHT", thought: { subject, description } });
}

// One text with a heading and a line for each source: "(title) address", or the address alone.
function readCitations(draft: GeminiDraft, text: string): void {
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed === "Citations:") continue;
    const [, title = "", uri] = /^(?:\((.*)\) )?([a-z][a-z0-9+.-]*:\S+)$/i.exec(trimmed) ?? [];
    const citation = uri === undefined ? { uri: "", title: trimmed } : { uri, title };
    tell(draft, { kind: "CITATION", citation });
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

/** The pieces of text of an update, as one. */
export function joinText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
