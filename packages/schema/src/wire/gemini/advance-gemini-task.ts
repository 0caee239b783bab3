import { ProtocolError } from "../../errors/protocol-error.js";
import type { SessionEvent } from "../../event/agent-event.js";
import type { Part } from "../../event/part.js";
import type { ToolCallConfirmation } from "../../gen/development_tool/confirmation.js";
import type { Origin } from "../../gen/dt_session/event.js";
import { advanceToolCall } from "../../tool-call/advance-tool-call.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import { failAt } from "../../validation/message-json.js";
import type { A2aFrame, A2aMessage, A2aState, A2aTask } from "../a2a/a2a.js";
import {
  announce,
  announceCall,
  createDraft,
  endTurn,
  type GeminiDraft,
  hasOpenQuestion,
  refuseAnswers,
  storeCall,
} from "./gemini-draft.js";
import { emptyGeminiMemory, type GeminiCall, type GeminiMemory } from "./gemini-memory.js";
import type { GeminiRival } from "./gemini-rival.js";
import { askOpenQuestions, readState } from "./gemini-state-codec.js";
import { joinText, readArtifact, readContent, readUpdate } from "./gemini-update-codec.js";

const ABORTED = "Execution aborted by client.";

/**
 * An input that advances a task of gemini-cli's server, the peer: a frame that the peer sent, a prompt or an
 * answer of this client, or something that this client has learned about the task or its streams.
 */
export type GeminiInput =
  | { readonly type: "frame"; readonly frame: A2aFrame }
  | {
      readonly type: "prompt";
      readonly messageId: string;
      readonly parts: readonly Part[];
      readonly origin: Origin;
      readonly at: string;
    }
  | {
      readonly type: "answer";
      readonly confirmation: ToolCallConfirmation;
      readonly origin: Origin;
      readonly at: string;
    }
  /** The answers could not be sent, so their questions are open again. */
  | { readonly type: "reopen"; readonly at: string }
  /** Another client answered first. The history of `task` contains what followed from that answer. */
  | {
      readonly type: "overtaken";
      readonly rival: GeminiRival;
      readonly task: A2aTask;
      readonly at: string;
    }
  /** The peer sends nothing and keeps its stream open, so it waits for answers to its questions. */
  | { readonly type: "quiet"; readonly at: string }
  /** A subscription ended without a frame, so the peer is idle. `task` is the peer's task at that time. */
  | { readonly type: "idle"; readonly task: A2aTask; readonly at: string }
  /** No more frames of this turn will arrive. */
  | {
      readonly type: "lost";
      readonly reason: string;
      readonly at: string;
      /** True if the task was given up and accepts no more messages. */
      readonly isClosed?: boolean;
    };

/** Memory after an input, and the events that it causes. */
export interface GeminiStep {
  readonly memory: GeminiMemory;
  readonly events: readonly SessionEvent[];
}

/**
 * Advances a task of gemini-cli's a2a-server by one input, and returns the events that the input causes. In
 * these events, a tool call only changes as `advanceToolCall` allows, even if the peer's frames do not.
 *
 * Throws a ProtocolError: `invalid-message`, with the path of the fault, for an unreadable frame or an answer
 * that does not fit its question; `confirmation-closed` for a second answer to the same question; and
 * `confirmation-not-found` for an answer to a question that is not open.
 */
export function advanceGeminiTask(memory: GeminiMemory, input: GeminiInput): GeminiStep {
  const draft = createDraft(input.type === "frame" ? memory : { ...memory, at: input.at });
  switch (input.type) {
    case "frame":
      readFrame(draft, input.frame);
      break;
    case "prompt": {
      const { messageId, parts, origin } = input;
      draft.memory = { ...draft.memory, calls: new Map(), state: "working" };
      announce(draft, { kind: "USER_PROMPT", messageId, parts, origin });
      // The state is reset, so that the next state of the peer is announced as a change.
      draft.memory = { ...draft.memory, state: "submitted" };
      break;
    }
    case "answer":
      acceptAnswer(draft, input.confirmation, input.origin);
      break;
    case "reopen":
      reopen(draft);
      break;
    case "overtaken":
      acceptRival(draft, input.rival);
      readHistory(draft, historyAfter(input.task, input.rival.messageId));
      break;
    case "quiet":
      askOpenQuestions(draft);
      break;
    case "idle":
      readIdleTask(draft, input.task);
      break;
    case "lost":
      draft.memory = { ...draft.memory, isClosed: memory.isClosed || input.isClosed === true };
      endTurn(draft, "failed", input.reason);
      break;
  }
  return { memory: draft.memory, events: draft.events };
}

/** Restores a task that this client does not remember from the task's history at the peer. */
export function openGeminiTask(task: A2aTask): GeminiStep {
  const empty = emptyGeminiMemory(task.id, task.contextId);
  const draft = createDraft({ ...empty, at: task.status.timestamp ?? "", state: "working" });
  readHistory(draft, task.history ?? []);
  const isWorking = task.status.state === "working";
  draft.memory = { ...draft.memory, state: isWorking ? "submitted" : "working" };
  readIdleTask(draft, task);
  return { memory: draft.memory, events: draft.events };
}

// The peer does not name users.
const UNKNOWN_ORIGIN: Origin = { principal: "unknown", name: "" };

function readHistory(draft: GeminiDraft, history: readonly A2aMessage[]): void {
  for (const { role, messageId, parts } of history) {
    if (role === "user" && parts.some(({ type }) => type === "text")) {
      draft.memory = { ...draft.memory, calls: new Map() };
      announce(draft, { kind: "USER_PROMPT", messageId, parts, origin: UNKNOWN_ORIGIN });
    }
    if (role === "agent") readContent(draft, guessKind(parts), parts);
  }
}

function historyAfter({ history = [] }: A2aTask, messageId: string): readonly A2aMessage[] {
  const index = history.findIndex((message) => message.messageId === messageId);
  return index < 0 && messageId !== "" ? [] : history.slice(index + 1);
}

function readIdleTask(draft: GeminiDraft, { status: { state, message } }: A2aTask): void {
  const reason = joinText(message?.parts ?? []);
  const text = reason === ABORTED || hasEnded(state) ? reason : "";
  readState(draft, state, { isFinal: true, text, error: undefined });
}

function hasEnded(state: A2aState): boolean {
  return !["submitted", "working", "input-required", "unknown"].includes(state);
}

// Finds the kind of a message by its parts, because a message of the history has no kind.
function guessKind(parts: readonly Part[]): string {
  const data = parts.find((part) => part.type === "data")?.data;
  if (data === undefined) return "text-content";
  if (typeof data === "object" && data !== null && "request" in data) return "tool-call-update";
  return typeof data === "object" && data !== null && "description" in data ? "thought" : "";
}

function readFrame(draft: GeminiDraft, frame: A2aFrame): void {
  switch (frame.type) {
    case "status-update":
      readUpdate(draft, frame);
      return;
    case "artifact-update":
      readArtifact(draft, frame);
      return;
    case "task":
      readTask(draft, frame.task);
      return;
    case "message":
      announce(draft, { kind: "UNKNOWN", wireKind: "message", parts: frame.message.parts });
  }
}

// Applies a task of the peer. Only the end of the task and an aborted turn are read, because the updates
// of a stream report all other states.
function readTask(draft: GeminiDraft, { status }: A2aTask): void {
  const text = joinText(status.message?.parts ?? []);
  const isOver = hasEnded(status.state);
  if (!isOver && text !== ABORTED) return;
  draft.memory = { ...draft.memory, at: status.timestamp ?? draft.memory.at };
  if (isOver) readState(draft, status.state, { isFinal: true, text, error: undefined });
  else endTurn(draft, "failed", text);
}

function acceptAnswer(
  draft: GeminiDraft,
  confirmation: ToolCallConfirmation,
  origin: Origin,
): void {
  const { toolCallId } = confirmation;
  const call = draft.memory.calls.get(toolCallId);
  if (call?.answer !== undefined) throw alreadyAnswered(call.answer);
  if (call?.question === undefined || !isWaiting(call.toolCall)) {
    throw new ProtocolError("confirmation-not-found", `no question is open about ${toolCallId}`);
  }
  checkOption(call, confirmation);
  const answered = { ...call, answer: { confirmation, origin, isAnnounced: false } };
  storeCall(draft, answered);
  // The answer is sent when all questions are answered, but this question closes now.
  if (hasOpenQuestion(draft.memory)) {
    announceCall(draft, answered, advanceToolCall(call.toolCall, { type: "settle" }));
  }
}

function acceptRival(draft: GeminiDraft, { toolCallId, selectedOptionId }: GeminiRival): void {
  const call = draft.memory.calls.get(toolCallId);
  if (call === undefined) return;
  const confirmation = { toolCallId, selectedOptionId, modifiedDetails: undefined };
  storeCall(draft, {
    ...call,
    answer: { confirmation, origin: UNKNOWN_ORIGIN, isAnnounced: false },
  });
}

function checkOption({ question }: GeminiCall, confirmation: ToolCallConfirmation): void {
  const { selectedOptionId, modifiedDetails } = confirmation;
  const ids = (question?.options ?? []).map(({ id }) => id);
  // For an option that the question does not offer, the peer would hang without reporting an error.
  if (!ids.includes(selectedOptionId)) {
    failAt("selected_option_id", `expected one of ${ids.join(", ")}`);
  }
  if (modifiedDetails !== undefined && question?.details?.$case !== "fileEditDetails") {
    failAt("file_details", "the question is not about a file");
  }
}

function alreadyAnswered({ confirmation, origin }: NonNullable<GeminiCall["answer"]>) {
  const { toolCallId, selectedOptionId } = confirmation;
  return new ProtocolError(
    "confirmation-closed",
    `the question about ${toolCallId} was answered with ${selectedOptionId}`,
    { data: { toolCallId, answeredBy: origin, selectedOptionId } },
  );
}

function reopen(draft: GeminiDraft): void {
  refuseAnswers(draft, draft.memory.calls.values());
  readState(draft, "input-required", { isFinal: true, text: "", error: undefined });
}
