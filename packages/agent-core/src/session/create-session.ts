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
import { interruptTurn, takePrompt, withdrawPrompt } from "../record/turn-records.js";
import type { Tool } from "../tools/tool.js";
import { createToolRegistry } from "../tools/tool-registry.js";
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
      mode: recorder.state.turn?.prompt.mode ?? mode,
    }),
  });
  let isClosed = false;

  await interruptTurn(recorder, "interrupted by a restart");
  worker.wake();

  function checkOpen(): void {
    if (isClosed) throw new ProtocolError("agent-busy", "the session is closing");
  }

  return {
    async prompt(prompt, origin) {
      checkOpen();
      const { queue, turns } = recorder.state;
      if (queue.length >= maxQueue) {
        throw new ProtocolError("agent-busy", `${maxQueue} prompts are waiting already`);
      }
      const taken = { ...prompt, origin, turn: turns + 1 };
      const seq = await takePrompt(recorder, taken);
      worker.wake();
      return { taskId: taken.taskId, turn: taken.turn, seq };
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
