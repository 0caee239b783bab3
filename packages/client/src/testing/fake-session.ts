import {
  type AgentEvent,
  advanceToolCall,
  isGrant,
  isTerminalState,
  type Origin,
  type Part,
  type TaskState,
  type ToolCall,
  type ToolCallConfirmation,
  textOf,
} from "@dt/schema";
import type { WallClock } from "../transport/wall-clock.js";
import { checkAnswer, lostRace, notAsked, type WinningAnswer } from "./fake-answers.js";
import { createFakeLog, type FakeLog } from "./fake-log.js";
import type { FakeHeader, FakeScript, FakeTurn } from "./fake-turn.js";

/** A prompt to a fake session. */
export interface FakePrompt {
  readonly taskId: string;
  readonly messageId: string;
  readonly parts: readonly Part[];
  readonly origin: Origin;
  /** Script of the prompt's turn. Default: the script of the session. */
  readonly script?: FakeScript;
}

/** One conversation with a fake agent: one turn at a time, and the first answer to a question wins. */
export interface FakeSession {
  readonly contextId: string;
  readonly log: FakeLog;
  prompt(prompt: FakePrompt): void;
  /**
   * Accepts the answers of one message. Throws `confirmation-not-found` if a question does not exist,
   * `invalid-message` if a question does not allow its answer, and `confirmation-closed` if a question
   * was already answered.
   */
  answer(confirmations: readonly ToolCallConfirmation[], origin: Origin): void;
  /** Cancels a task; returns false if there was nothing to cancel. */
  cancel(taskId: string): boolean;
}

interface FakeQuestion {
  call: ToolCall;
  readonly taskId: string;
  readonly resolve: (confirmation: ToolCallConfirmation) => void;
  won?: WinningAnswer;
}

/** Creates a session that plays a script. */
export function createFakeSession(
  contextId: string,
  script: FakeScript,
  now: WallClock,
): FakeSession {
  const log = createFakeLog(contextId);
  const questions = new Map<string, FakeQuestion>();
  const queue: FakePrompt[] = [];
  let turns = 0;
  let running: { readonly taskId: string; readonly abort: AbortController } | undefined;

  function announce(taskId: string, event: AgentEvent, header: FakeHeader = {}): void {
    const at = new Date(now()).toISOString();
    log.append({ state: "working", at, ...header, ...event, taskId, contextId });
  }

  function waiting(taskId: string): readonly ToolCall[] {
    return [...questions.values()]
      .filter((question) => question.taskId === taskId && question.won === undefined)
      .map(({ call }) => call);
  }

  async function run(prompt: FakePrompt): Promise<void> {
    const { taskId, messageId, parts, origin } = prompt;
    const abort = new AbortController();
    running = { taskId, abort };
    turns += 1;
    const state = log.findView(taskId)?.state ?? "submitted";
    announce(taskId, { kind: "USER_PROMPT", messageId, parts, origin }, { state });
    announce(taskId, { kind: "STATE_CHANGE" });
    const end = await play(buildTurn(prompt, abort.signal), prompt.script ?? script);
    if (abort.signal.aborted) return;
    running = undefined;
    announceEnd(taskId, end);
    startNext();
  }

  function startNext(): void {
    const next = queue.shift();
    if (next === undefined) return;
    announceQueue(next.taskId);
    void run(next);
  }

  /**
   * Announces the end of a turn. The task ends too, unless another prompt of the task is queued.
   */
  function announceEnd(taskId: string, end: { state: TaskState; error?: string }): void {
    const hasQueuedPrompt = queue.some((prompt) => prompt.taskId === taskId);
    const state = hasQueuedPrompt ? "input-required" : end.state;
    announce(taskId, { kind: "STATE_CHANGE" }, { ...end, state });
    if (hasQueuedPrompt) announce(taskId, { kind: "STATE_CHANGE" });
  }

  /** Withdraws the queued prompts of a task that is cancelled. */
  function withdrawAll(taskId: string): void {
    for (const prompt of queue.filter((waiting) => waiting.taskId === taskId)) {
      queue.splice(queue.indexOf(prompt), 1);
      announceQueue(taskId);
    }
  }

  async function play(
    turn: FakeTurn,
    script: FakeScript,
  ): Promise<{ readonly state: TaskState; readonly error?: string }> {
    try {
      return { state: (await script(turn)) ?? "completed" };
    } catch (reason) {
      return { state: "failed", error: reason instanceof Error ? reason.message : String(reason) };
    }
  }

  function buildTurn({ taskId, parts, origin }: FakePrompt, signal: AbortSignal): FakeTurn {
    const emit: FakeTurn["emit"] = (event, header) => {
      if (!signal.aborted) announce(taskId, event, header);
    };
    return {
      taskId,
      contextId,
      turn: turns,
      text: textOf(parts),
      parts,
      origin,
      signal,
      emit,
      say: (text) => emit({ kind: "TEXT_CONTENT", text }),
      think: (subject, description) => emit({ kind: "THOUGHT", thought: { subject, description } }),
      update: (toolCall) => emit({ kind: "TOOL_CALL_UPDATE", toolCall }),
      ask(...calls) {
        const answers = calls.map(
          (call) =>
            new Promise<ToolCallConfirmation>((resolve) => {
              questions.set(call.toolCallId, { call, taskId, resolve });
            }),
        );
        for (const toolCall of calls) emit({ kind: "TOOL_CALL_UPDATE", toolCall });
        emit({ kind: "STATE_CHANGE", waiting: calls }, { state: "input-required" });
        return Promise.all(answers);
      },
    };
  }

  function announceQueue(taskId: string): void {
    const prompts = queue.map(({ messageId, parts, origin }) => ({
      messageId,
      text: textOf(parts),
      origin,
    }));
    const state = log.findView(taskId)?.state ?? "submitted";
    announce(taskId, { kind: "QUEUE", prompts }, { state });
  }

  function answerOne(confirmation: ToolCallConfirmation, origin: Origin): void {
    const { toolCallId, selectedOptionId } = confirmation;
    const question = questions.get(toolCallId);
    if (question === undefined) throw notAsked(toolCallId);
    if (question.won !== undefined) throw lostRace(toolCallId, question.won);
    question.won = { origin, selectedOptionId };
    const type = isGrant(selectedOptionId) ? "start" : "cancel";
    question.call = advanceToolCall(question.call, { type });
    const { taskId, call: toolCall } = question;
    const left = waiting(taskId);
    const state = left.length > 0 ? "input-required" : "working";
    const answer = { toolCallId, selectedOptionId, origin };
    announce(taskId, { kind: "TOOL_CALL_UPDATE", toolCall, answer }, { state });
    if (left.length > 0) announce(taskId, { kind: "STATE_CHANGE", waiting: left }, { state });
    question.resolve(confirmation);
  }

  return {
    contextId,
    log,
    prompt(prompt) {
      if (running === undefined) return void run(prompt);
      queue.push(prompt);
      announceQueue(prompt.taskId);
    },
    answer(confirmations, origin) {
      for (const confirmation of confirmations) {
        const question = questions.get(confirmation.toolCallId);
        if (question?.won === undefined) checkAnswer(question?.call, confirmation);
      }
      for (const confirmation of confirmations) answerOne(confirmation, origin);
    },
    cancel(taskId) {
      if (
        running?.taskId !== taskId ||
        isTerminalState(log.findView(taskId)?.state ?? "submitted")
      ) {
        return false;
      }
      running.abort.abort();
      running = undefined;
      for (const call of waiting(taskId)) {
        questions.delete(call.toolCallId);
        const toolCall = advanceToolCall(call, { type: "cancel" });
        announce(taskId, { kind: "TOOL_CALL_UPDATE", toolCall });
      }
      withdrawAll(taskId);
      announce(taskId, { kind: "STATE_CHANGE" }, { state: "canceled" });
      startNext();
      return true;
    },
  };
}
