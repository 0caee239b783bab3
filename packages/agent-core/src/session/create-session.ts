import { randomUUID } from "node:crypto";
import { type JsonObject, ProtocolError } from "@dt/schema";
import { createPendingAnswers } from "../confirmation/pending-answers.js";
import type { PermissionMode } from "../confirmation/permission-policy.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Model } from "../model/model.js";
import { createRecorder } from "../record/recorder.js";
import {
  emptySessionState,
  type JournalRecord,
  reduceSessionState,
} from "../record/session-state.js";
import {
  interruptTurn,
  retryTurn,
  steerTurn,
  takePrompt,
  withdrawPrompt,
} from "../record/turn-records.js";
import type { Tool } from "../tools/tool.js";
import { createToolRegistry } from "../tools/tool-registry.js";
import { defaultTurnLimits, type TurnLimits } from "../turn/turn-limits.js";
import { createWorkClock } from "../turn/work-clock.js";
import type { Workspace } from "../workspace/workspace.js";
import { answerQuestion } from "./answer-question.js";
import type { Session } from "./session.js";
import { createTurnWorker } from "./turn-worker.js";

/** What a session is made of. */
export interface SessionOptions {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  /** How freely it may act. Default: "default". */
  readonly mode?: PermissionMode;
  /** What an earlier session wrote: this one goes on from there. */
  readonly journal?: readonly JsonObject[];
  /** How far a turn may go; what is left out has a generous default. */
  readonly limits?: Partial<TurnLimits>;
  /** What the model is told before the conversation. */
  readonly system?: string;
  /** How many prompts may wait. Default: 100. */
  readonly maxQueue?: number;
  readonly now?: () => Date;
  readonly createId?: () => string;
  /** Told when the session cannot go on, since its ledger failed. */
  readonly onFault?: (reason: unknown) => void;
}

/** Starts a session, or goes on with the one whose journal is given. */
export async function createSession(options: SessionOptions): Promise<Session> {
  const { model, workspace, mode = "default", maxQueue = 100 } = options;
  const { now = () => new Date(), createId = randomUUID, onFault = () => {} } = options;
  const tools = createToolRegistry(options.tools);
  const answers = createPendingAnswers();
  // The journal is what a session wrote before.
  const journal = (options.journal ?? []) as readonly JournalRecord[];
  const recorder = createRecorder({
    ledger: options.ledger,
    now,
    modelName: () => model.name,
    state: journal.reduce(reduceSessionState, emptySessionState),
  });
  const worker = createTurnWorker({
    recorder,
    onFault,
    buildScope: (signal) => ({
      model,
      tools,
      workspace,
      recorder,
      answers,
      createId,
      signal,
      mode: recorder.state.modes[recorder.state.turn?.prompt.taskId ?? ""] ?? mode,
      limits: { ...defaultTurnLimits, ...options.limits },
      workClock: createWorkClock(() => now().getTime()),
      system: options.system,
    }),
  });
  let isClosed = false;

  await interruptTurn(recorder, "interrupted by a restart");
  worker.wake();

  function checkOpen(): void {
    if (isClosed) throw new ProtocolError("agent-busy", "the session is closing");
  }

  return {
    async prompt(prompt, origin, { steer = false } = {}) {
      checkOpen();
      const { queue, turns, turn } = recorder.state;
      if (queue.length >= maxQueue) {
        throw new ProtocolError("agent-busy", `${maxQueue} prompts are waiting already`);
      }
      const taken = { ...prompt, origin, turn: turns + 1 };
      if (steer && turn !== undefined) {
        const { taskId, turn: number } = turn.prompt;
        const seq = await steerTurn(recorder, { ...taken, taskId });
        return { taskId, turn: number, seq };
      }
      const seq = await takePrompt(recorder, taken);
      worker.wake();
      return { taskId: taken.taskId, turn: taken.turn, seq };
    },
    async withdraw(messageId) {
      checkOpen();
      const queued = recorder.state.queue.find((prompt) => prompt.messageId === messageId);
      if (queued === undefined) return false;
      await withdrawPrompt(recorder, queued);
      return true;
    },
    async retry() {
      checkOpen();
      const { failed, turn, queue } = recorder.state;
      if (failed === undefined || turn !== undefined || queue.length > 0) return undefined;
      const seq = await retryTurn(recorder, failed);
      worker.wake();
      return { taskId: failed.taskId, turn: recorder.state.turns, seq };
    },
    async answer(confirmation, origin, messageId) {
      checkOpen();
      return await answerQuestion({ confirmation, origin, messageId, recorder, tools, answers });
    },
    async cancel(taskId) {
      checkOpen();
      const { turn, queue } = recorder.state;
      const queued = queue.filter((prompt) => prompt.taskId === taskId);
      for (const prompt of queued) await withdrawPrompt(recorder, prompt);
      const isRunning = turn?.prompt.taskId === taskId;
      if (isRunning) await worker.cancelTurn();
      return isRunning || queued.length > 0;
    },
    snapshot: () => recorder.state,
    async close() {
      isClosed = true;
      await worker.close();
      await recorder.flush();
    },
  };
}
