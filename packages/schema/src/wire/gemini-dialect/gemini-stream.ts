import type { SessionEvent, ToolCallUpdate } from "../../event/agent-event.js";
import type { Part } from "../../event/part.js";
import { toDocumentState } from "../../event/task-state.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { isTerminalStatus, isWaiting } from "../../tool-call/tool-call-status.js";
import type { A2aFrame } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";
import type { StreamPosition } from "../dialect.js";
import { encodeGeminiCall, type GeminiStatus, toGeminiStatus } from "./gemini-call-codec.js";
import { type GeminiStreamMemory, withoutCall, withShownCall } from "./gemini-stream-memory.js";
import { buildGeminiOutput, buildGeminiUpdate, type GeminiUpdate } from "./gemini-updates.js";

/** Frames of one event, and the memory after them. */
export interface GeminiEventFrames {
  readonly memory: GeminiStreamMemory;
  readonly frames: readonly A2aFrame[];
}

/** Collects the frames of one event. */
interface Draft {
  memory: GeminiStreamMemory;
  readonly event: SessionEvent;
  readonly frames: A2aFrame[];
}

/**
 * Encodes an event as gemini-cli's server would have sent it. One event of ours may become several
 * updates, because that server has more statuses for a call and asks one question at a time.
 */
export function encodeGeminiEvent(
  memory: GeminiStreamMemory,
  event: SessionEvent,
  { isLast }: StreamPosition,
): GeminiEventFrames {
  const draft: Draft = {
    memory: { ...memory, model: event.model ?? memory.model },
    event,
    frames: [],
  };
  switch (event.kind) {
    case "STATE_CHANGE":
      if (event.statusParts !== undefined) addContent(draft, "text-content", event.statusParts);
      encodeState(draft, event.waiting ?? [], isLast);
      break;
    case "ARTIFACT": {
      const { artifact, append, lastChunk, taskId, contextId } = event;
      const flags = compact({ append, lastChunk });
      draft.frames.push({ type: "artifact-update", taskId, contextId, artifact, ...flags });
      break;
    }
    case "TOOL_CALL_UPDATE":
      encodeCall(draft, event);
      break;
    case "TEXT_CONTENT":
      addContent(draft, "text-content", [
        { type: "text", text: event.text },
        ...(event.attachments ?? []),
      ]);
      break;
    case "THOUGHT": {
      const { subject, description } = event.thought;
      addContent(draft, "thought", [{ type: "data", data: { subject, description } }]);
      break;
    }
    case "CITATION": {
      const { title, uri } = event.citation;
      const line = title === "" ? uri : `(${title}) ${uri}`;
      addContent(draft, "citation", [{ type: "text", text: `Citations:\n${line}` }]);
      break;
    }
    case "CONSOLE_LOG":
      // gemini-cli's server reports a retry as an error after which the turn continues.
      if (event.log.type === "warn" || event.log.type === "error")
        addError(draft, event.log.content);
      break;
  }
  return draft;
}

function encodeState(draft: Draft, waiting: readonly ToolCall[], isFinal: boolean): void {
  const { error } = draft.event;
  const state = toDocumentState(draft.event.state);
  const [question] = waiting.filter(isWaiting);
  if (question !== undefined) askQuestion(draft, question);
  if (error !== undefined) addError(draft, error);
  // After a turn, a task of gemini-cli waits for the next prompt. It never completes or fails.
  const isOver = state === "completed" || state === "failed";
  addState(draft, isOver ? "input-required" : state, isFinal);
}

function askQuestion(draft: Draft, question: ToolCall): void {
  const { toolCallId } = question;
  if (draft.memory.calls.get(toolCallId) === "awaiting_approval") return;
  addCall(draft, question, "awaiting_approval");
}

function encodeCall(draft: Draft, { toolCall, answer }: ToolCallUpdate): void {
  const { toolCallId, liveContent } = toolCall;
  const shown = draft.memory.calls.get(toolCallId);
  if (isTerminalStatus(toolCall.status)) {
    startStepCalls(draft);
    addCall(draft, toolCall, toGeminiStatus(toolCall));
    draft.memory = withoutCall(draft.memory, toolCallId);
    return;
  }
  if (toolCall.status === "EXECUTING") {
    showStart(draft, toolCall);
    if (liveContent === undefined) return;
    draft.frames.push(buildGeminiOutput(toolCallId, liveContent, draft.event));
    return;
  }
  if (isWaiting(toolCall)) {
    if (shown === undefined) showNew(draft, toolCall);
  } else if (answer !== undefined || shown === "awaiting_approval") {
    // The call is approved, but waits for other calls.
    addCall(draft, toolCall, "scheduled");
  } else if (shown === undefined) {
    // A new call stays hidden until it starts or ends. If it fails before it starts, gemini-cli's server
    // sends one update for it, with the failure.
    draft.memory = withShownCall(draft.memory, toolCallId, "hidden");
  }
}

function showNew(draft: Draft, toolCall: ToolCall): void {
  startStepCalls(draft);
  addCall(draft, toolCall, "validating");
}

function showStart(draft: Draft, toolCall: ToolCall): void {
  const status = draft.memory.calls.get(toolCall.toolCallId);
  if (status === "executing") return;
  if (status === "hidden") showNew(draft, toolCall);
  if (status !== "scheduled") addCall(draft, toolCall, "scheduled");
  addCall(draft, toolCall, "executing");
}

// Adds the state `working`, which gemini-cli's server reports before it handles the calls of a
// step.
function startStepCalls(draft: Draft): void {
  continueModel(draft);
  if (draft.memory.stepCalls === "open") return;
  addState(draft, "working");
  draft.memory = { ...draft.memory, stepCalls: "open" };
}

// Adds the state `working`, which gemini-cli's server also reports when the model gets the results
// of all calls.
function continueModel(draft: Draft): void {
  if (draft.memory.stepCalls !== "ended") return;
  addState(draft, "working");
  draft.memory = { ...draft.memory, stepCalls: "none" };
}

function addContent(draft: Draft, kind: GeminiUpdate["kind"], parts: readonly Part[]): void {
  continueModel(draft);
  add(draft, { kind, state: draft.memory.state, parts });
}

function addError(draft: Draft, error: string): void {
  const text = `Agent Error, unknown agent message: ${error}`;
  draft.memory = { ...draft.memory, state: "working", stepCalls: "none" };
  add(draft, { kind: "state-change", state: "working", parts: [{ type: "text", text }], error });
}

const CANCELED = "Task canceled by user request.";

function addState(draft: Draft, state: GeminiUpdate["state"], isFinal = false): void {
  draft.memory = { ...draft.memory, state };
  const parts: readonly Part[] = state === "canceled" ? [{ type: "text", text: CANCELED }] : [];
  add(draft, { kind: "state-change", state, parts, isFinal });
}

function addCall(draft: Draft, toolCall: ToolCall, status: GeminiStatus): void {
  const { state } = draft.memory;
  const data = encodeGeminiCall(toolCall, { taskId: draft.event.taskId, status });
  const kind = status === "awaiting_approval" ? "tool-call-confirmation" : "tool-call-update";
  add(draft, { kind, state, parts: [{ type: "data", data }] });
  const isEnded = status === "success" || status === "error" || status === "cancelled";
  if (!isEnded) draft.memory = withShownCall(draft.memory, toolCall.toolCallId, status);
}

function add({ frames, event, memory }: Draft, update: GeminiUpdate): void {
  frames.push(buildGeminiUpdate(update, { event, model: memory.model, index: frames.length }));
}
