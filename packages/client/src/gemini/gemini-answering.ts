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

/** Members of a task that {@link createAnswering} needs. */
export interface AnsweringTask {
  readonly taskId: string;
  readonly scope: GeminiTaskScope;
  /** Ids of the messages in the task when this client opened it. They cannot answer an open question. */
  readonly known: readonly string[];
  memory(): GeminiMemory;
  apply(input: GeminiInput): void;
  /** True if a stream of the task is open. The stream then reports every change of the task. */
  isStreaming(): boolean;
  /**
   * Records that no more events of the turn will arrive. `isClosed` is true if the task also accepts
   * no more messages.
   */
  lose(reason: unknown, isClosed?: boolean): void;
  /**
   * Reads a stream to its end. `first` is a frame that the caller has already read. `shown` is the task
   * at the start of the stream; the caller passes `shown` if it does not know whether a turn runs.
   */
  read(first: A2aFrame | undefined, frames: AsyncIterable<A2aFrame>, shown?: A2aTask): void;
}

/** Answers the questions of a task. */
export interface GeminiAnswering {
  /**
   * Records answers, and sends them when every open question has an answer. Throws
   * `confirmation-closed` if another client answered first.
   */
  answer(confirmations: readonly ToolCallConfirmation[]): Promise<void>;
  /**
   * Checks whether another client has answered, and applies the effects of its answer. `timestamp` is
   * the time of the peer's last status. A second call with the same timestamp does nothing.
   */
  checkForRival(timestamp: string | undefined): Promise<void>;
}

/**
 * Answers each question of a task once. The peer does not report whose answer it accepted, so its
 * history is checked: before an answer is sent, after the peer replied, and while a question is
 * open.
 */
export function createAnswering(task: AnsweringTask): GeminiAnswering {
  const { taskId, scope, memory, apply, lose, read } = task;
  const { http, closing, origin, answerTimeouts, now, createId } = scope;
  const knownMessages = new Set(task.known);
  let checkedTimestamp: string | undefined;

  /** Applies the effects of another client's answer. */
  async function catchUp(rival: GeminiRival): Promise<void> {
    knownMessages.add(rival.messageId);
    const frames = http.stream("tasks/resubscribe", { id: taskId }, closing);
    try {
      const { value: first } = await frames.next();
      if (first?.type !== "task") throw new TransportError("unreadable", "the agent sent no task");
      apply({ type: "overtaken", rival, task: first.task, at: now() });
      if (task.isStreaming()) void drain(frames);
      else read(undefined, frames, first.task);
    } catch (reason) {
      if (!closing.aborted) lose(reason);
    }
  }

  /** Applies the effects of another client's earlier answer, and throws. */
  async function rejectForRival(rival: GeminiRival): Promise<never> {
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
    const findCurrentRival = ({ isSent = true } = {}) => findRival(http, { ...search, isSent });
    const earlier = await findCurrentRival({ isSent: false });
    if (earlier !== undefined) return await rejectForRival(earlier);
    const message = encodeGeminiAnswers(answers, { messageId, taskId });
    const wasStreaming = task.isStreaming();
    const isEdit = answers.some(({ confirmation }) => confirmation.modifiedDetails !== undefined);
    try {
      const timeoutMs = isEdit ? answerTimeouts.editMs : answerTimeouts.otherMs;
      const { first, frames } = await openTurn(http, message, { closing, timeoutMs });
      const rival = await findCurrentRival();
      if (rival !== undefined) {
        void drain(frames);
        return await rejectForRival(rival);
      }
      knownMessages.add(messageId);
      if (wasStreaming) void drain(frames);
      else read(first, frames);
    } catch (reason) {
      if (hasCode(reason, "confirmation-closed")) throw reason;
      if (reason instanceof SilenceError) {
        // If another client approved the call, the peer may be running the call, so the task must not be
        // cancelled.
        const rival = await findCurrentRival();
        if (rival !== undefined) return await rejectForRival(rival);
        // The task is cancelled. Otherwise the peer could act on the answer later, and the user would not
        // notice.
        await http.call("tasks/cancel", { id: taskId }, closing).catch(() => {});
        lose(reason, true);
      } else if (!closing.aborted) {
        apply({ type: "reopen", at: now() });
      }
      throw reason;
    }
  }

  async function checkForRival(timestamp: string | undefined): Promise<void> {
    const { at, calls } = memory();
    if (timestamp === undefined || timestamp === at || timestamp === checkedTimestamp) return;
    checkedTimestamp = timestamp;
    const toolCallIds = [...calls.values()].flatMap((call) =>
      isWaiting(call.toolCall) && call.answer === undefined ? [call.toolCall.toolCallId] : [],
    );
    if (toolCallIds.length === 0) return;
    const search = { taskId, messageId: "", toolCallIds, known: knownMessages, signal: closing };
    const rival = await findRival(http, { ...search, isSent: false });
    // If this client has sent an answer meanwhile, `answer` handles the rival.
    const isOpen = rival && memory().calls.get(rival.toolCallId)?.answer === undefined;
    if (rival !== undefined && isOpen === true) await catchUp(rival);
  }

  return { answer, checkForRival };
}
