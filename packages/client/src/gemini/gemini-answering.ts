import { isWaiting, ProtocolError, type ToolCallConfirmation } from "@dt/schema";
import {
  encodeGeminiAnswers,
  findReadyAnswers,
  type GeminiInput,
  type GeminiMemory,
  type GeminiRival,
} from "@dt/schema/gemini";
import type { A2aFrame, A2aTask } from "@dt/schema/wire";
import { hasCode } from "../errors/has-code.js";
import { TransportError } from "../errors/transport-error.js";
import { findRival } from "./find-rival.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import { drain, openTurn, SilenceError } from "./open-turn.js";

/** What answering needs of its task. */
export interface AnsweringTask {
  readonly taskId: string;
  readonly scope: GeminiTaskScope;
  /** Messages that were there before: no answer among them is one to a question of now. */
  readonly known: readonly string[];
  memory(): GeminiMemory;
  apply(input: GeminiInput): void;
  /** Whether a stream tells of the task: one that stayed open while the peer asks tells everything. */
  isHeard(): boolean;
  /** Nothing more will be heard of the turn. */
  lose(reason: unknown, isClosed?: boolean): void;
  /** Reads a stream to its end; one that began with a task, `shown`, may say no more. */
  read(first: A2aFrame | undefined, frames: AsyncIterable<A2aFrame>, shown?: A2aTask): void;
}

/** How the questions of a task are answered, by us or by others. */
export interface GeminiAnswering {
  /** Sends answers when all questions have one; throws `confirmation-closed` where another was first. */
  answer(confirmations: readonly ToolCallConfirmation[]): Promise<void>;
  /** Looks whether someone else has answered, where the peer has moved since `timestamp` of its status. */
  look(timestamp: string | undefined): Promise<void>;
}

/**
 * Answers the questions of a task, each once. The peer does not say whose answer it took, so its history
 * is looked at: before an answer leaves, when it was heard, and while a question waits.
 */
export function createAnswering(task: AnsweringTask): GeminiAnswering {
  const { taskId, scope, memory, apply, lose, read } = task;
  const { line, closing, origin, patience, now, createId } = scope;
  const knownMessages = new Set(task.known);
  let lookedAt: string | undefined;

  /** Shows what came of another one's answer. */
  async function catchUp(rival: GeminiRival): Promise<void> {
    knownMessages.add(rival.messageId);
    const frames = line.stream("tasks/resubscribe", { id: taskId }, closing);
    try {
      const { value: first } = await frames.next();
      if (first?.type !== "task") throw new TransportError("unreadable", "no task came");
      apply({ type: "overtaken", rival, task: first.task, at: now() });
      if (task.isHeard()) void drain(frames);
      else read(undefined, frames, first.task);
    } catch (reason) {
      if (!closing.aborted) lose(reason);
    }
  }

  /** Someone else was first: shows what came of that, and says so. */
  async function giveWay(rival: GeminiRival): Promise<never> {
    await catchUp(rival);
    const { toolCallId, selectedOptionId } = rival;
    throw new ProtocolError(
      "confirmation-closed",
      `the question about ${toolCallId} was answered with ${selectedOptionId} by another client`,
      { data: { toolCallId, selectedOptionId, answeredBy: { principal: "unknown", name: "" } } },
    );
  }

  async function answer(confirmations: readonly ToolCallConfirmation[]): Promise<void> {
    for (const confirmation of confirmations) {
      apply({ type: "answer", confirmation, origin, at: now() });
    }
    const answers = findReadyAnswers(memory());
    if (answers === undefined) return;
    const messageId = createId();
    const toolCallIds = confirmations.map(({ toolCallId }) => toolCallId);
    const search = { taskId, messageId, toolCallIds, known: knownMessages, signal: closing };
    const rivalNow = ({ isSent = true } = {}) => findRival(line, { ...search, isSent });
    const earlier = await rivalNow({ isSent: false });
    if (earlier !== undefined) return await giveWay(earlier);
    const message = encodeGeminiAnswers(answers, { messageId, taskId });
    const wasHeard = task.isHeard();
    const isEdit = answers.some(({ confirmation }) => confirmation.modifiedDetails !== undefined);
    try {
      const patienceMs = isEdit ? patience.editMs : patience.otherMs;
      const { first, frames } = await openTurn(line, message, { closing, patienceMs });
      const rival = await rivalNow();
      if (rival !== undefined) {
        void drain(frames);
        return await giveWay(rival);
      }
      knownMessages.add(messageId);
      if (wasHeard) void drain(frames);
      else read(first, frames);
    } catch (reason) {
      if (hasCode(reason, "confirmation-closed")) throw reason;
      if (reason instanceof SilenceError) {
        // Someone else's tool may be running silently: that is not ours to cancel.
        const rival = await rivalNow();
        if (rival !== undefined) return await giveWay(rival);
        // Whatever the peer does with the answer later must not happen behind the user's back.
        await line.call("tasks/cancel", { id: taskId }, closing).catch(() => {});
        lose(reason, true);
      } else if (!closing.aborted) {
        apply({ type: "reopen", at: now() });
      }
      throw reason;
    }
  }

  async function look(timestamp: string | undefined): Promise<void> {
    const { at, calls } = memory();
    if (timestamp === undefined || timestamp === at || timestamp === lookedAt) return;
    lookedAt = timestamp;
    const toolCallIds = [...calls.values()].flatMap((call) =>
      isWaiting(call.toolCall) && call.answer === undefined ? [call.toolCall.toolCallId] : [],
    );
    if (toolCallIds.length === 0) return;
    const search = { taskId, messageId: "", toolCallIds, known: knownMessages, signal: closing };
    const rival = await findRival(line, { ...search, isSent: false });
    // We may have answered meanwhile: then our answer finds out.
    const isOpen = rival && memory().calls.get(rival.toolCallId)?.answer === undefined;
    if (rival !== undefined && isOpen === true) await catchUp(rival);
  }

  return { answer, look };
}
