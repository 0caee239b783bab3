import { randomUUID } from "node:crypto";
import {
  isTerminalState,
  isWaiting,
  type JsonObject,
  type Principal,
  ProtocolError,
} from "@dt/schema";
import { type Command, type CommandCaller, CommandError } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import { createPendingAnswers } from "../confirmation/pending-answers.js";
import type { PermissionMode } from "../confirmation/permission-policy.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Model } from "../model/model.js";
import { createRecorder } from "../record/recorder.js";
import { restoreState } from "../record/restore-state.js";
import type { Prompt, SessionState, TakenPrompt } from "../record/session-state.js";
import {
  closeTask,
  interruptTurn,
  openTask,
  retryTurn,
  steerTurn,
  takePrompt,
  withdrawPrompt,
} from "../record/turn-records.js";
import { createToolRegistry, type ToolSource } from "../tools/tool-registry.js";
import { createTurnTraces } from "../tracing/turn-traces.js";
import { createCredentialModes } from "../turn/credential-modes.js";
import { defaultTurnLimits, type TurnLimits } from "../turn/turn-limits.js";
import type { CheckpointPort, Prelude } from "../turn/turn-scope.js";
import { createWorkClock } from "../turn/work-clock.js";
import type { Workspace } from "../workspace/workspace.js";
import { answerQuestion } from "./answer-question.js";
import { awaitCommandBeginning } from "./command-beginning.js";
import { canRunAtOnce, createCommandsAtOnce } from "./commands-at-once.js";
import { endOutlivedCalls } from "./end-outlived-calls.js";
import type { Session } from "./session.js";
import { createTurnWorker } from "./turn-worker.js";

/** What a session is made of. */
export interface SessionOptions {
  readonly model: Model;
  /** The tools; a function where they come and go, as those of MCP servers do. */
  readonly tools: ToolSource;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  /** How freely it may act. Default: "default". */
  readonly mode?: PermissionMode;
  /**
   * Whether a credential has not ended: a mode that it set lasts as long. Default: none ever ends, as in
   * a session that is used by its own process alone.
   */
  readonly isCredentialAlive?: (credential: string) => boolean;
  /** The credential of the host's own terminal, which alone may run some commands. */
  readonly hostCredential?: string;
  /** What an earlier session wrote: this one goes on from there. */
  readonly journal?: readonly JsonObject[];
  /** Why that session stopped; it is told of whatever it was doing. Default: a restart. */
  readonly interruption?: string;
  /** The slash commands; asked each time, since they may change. Default: none. */
  readonly commands?: () => readonly Command[];
  /** Makes the model that `/model NAME` names; without it the model stays what it is. */
  readonly createModel?: (name: string) => Model;
  /** How far a turn may go; what is left out has a generous default. */
  readonly limits?: Partial<TurnLimits>;
  /** What the model is told before the conversation, asked before each step. */
  readonly system?: () => string;
  /** What is asked before the model is. */
  readonly prelude?: Prelude;
  /** Resolves when the tools are there; the first step of a turn waits for it. */
  readonly ready?: Promise<void>;
  /** Keeps copies of files before a call changes them. */
  readonly checkpoints?: CheckpointPort;
  /**
   * A task that stays open as long as the session does: it rests in `input-required` between its
   * turns, however they end, so that it can always be joined and prompted. (DESIGN 3.12)
   */
  readonly openTaskId?: string;
  /** How many prompts may wait. Default: 100. */
  readonly maxQueue?: number;
  readonly now?: () => Date;
  readonly createId?: () => string;
  /** Told when the session cannot go on, since its ledger failed. */
  readonly onFault?: (reason: unknown) => void;
}

/** Starts a session, or goes on with the one whose journal is given. */
export async function createSession(options: SessionOptions): Promise<Session> {
  const { workspace, mode = "default", maxQueue = 100 } = options;
  const { now = () => new Date(), createId = randomUUID, onFault = () => {} } = options;
  const tools = createToolRegistry(options.tools);
  const answers = createPendingAnswers();
  const commands = createCommandRegistry(options.commands ?? (() => []));
  const restored = restoreState(options.journal);
  let model =
    restored.modelName === undefined
      ? options.model
      : (options.createModel?.(restored.modelName) ?? options.model);
  const traces = createTurnTraces();
  const recorder = createRecorder({
    ledger: options.ledger,
    now,
    modelName: () => model.name,
    traceIdOf: traces.traceIdOf,
    state: restored,
  });
  const { isCredentialAlive = () => true, hostCredential } = options;
  const modes = createCredentialModes({
    startMode: mode,
    isAlive: isCredentialAlive,
    state: () => recorder.state,
  });
  const commandCaller = ({ principal }: Principal, credential?: string): CommandCaller => ({
    principal,
    ...(credential !== undefined && isCredentialAlive(credential) && { credential }),
    isHost: credential !== undefined && credential === hostCredential,
  });
  const limits = { ...defaultTurnLimits, ...options.limits };
  const worker = createTurnWorker({
    recorder,
    commands,
    onFault,
    traces,
    buildScope: (signal, span, onLimit) => ({
      span,
      traces,
      model,
      tools,
      workspace,
      recorder,
      answers,
      createId,
      signal,
      mode: modes.ofTurn,
      modes,
      commandCaller: () => {
        const { origin, credential } = runningPrompt(recorder.state);
        return commandCaller(origin, credential);
      },
      setModel(name) {
        if (options.createModel === undefined)
          throw new CommandError("the model cannot be changed");
        model = options.createModel(name);
      },
      limits,
      workClock: createWorkClock({
        now: () => now().getTime(),
        maxMs: limits.maxWorkMs,
        onLimit,
      }),
      system: options.system,
      checkpoints: options.checkpoints,
      prelude: options.prelude,
      ready: options.ready ?? Promise.resolve(),
    }),
  });
  const closing = new AbortController();
  let isClosed = false;
  const atOnce = createCommandsAtOnce({
    recorder,
    modes,
    maxRunning: maxQueue,
    commandCaller: (caller) => commandCaller(caller, caller.credential),
    checkOpen,
    signal: closing.signal,
  });

  const { interruption: reason = "interrupted by a restart" } = options;
  await interruptTurn(recorder, { reason, remarks: await endOutlivedCalls(restored) });
  if (options.openTaskId !== undefined) await openTask(recorder, options.openTaskId);
  worker.wake();

  function checkOpen(): void {
    if (isClosed) throw new ProtocolError("agent-busy", "the session is closing");
  }

  /** Cancels the turn that runs and withdraws what waits, as far as they fit. */
  async function cancelWork(fits: (prompt: TakenPrompt) => boolean): Promise<boolean> {
    const { turn, queue } = recorder.state;
    const running = turn !== undefined && fits(turn.prompt) ? turn.prompt : undefined;
    const queued = queue.filter(fits);
    // Those that wait for the same task end with its turn, in one commit: who waits for them sees that.
    const own = queued.filter(({ taskId }) => taskId === running?.taskId);
    const others = queued.filter((prompt) => !own.includes(prompt));
    await Promise.all([
      ...others.map((prompt) => withdrawPrompt(recorder, prompt, { isCancelled: true })),
      ...(running === undefined
        ? []
        : [
            worker.cancelTurn(
              running.turn,
              own.map((prompt) => prompt.turn),
            ),
          ]),
    ]);
    return running !== undefined || queued.length > 0;
  }

  const session: Session = {
    async prompt(prompt, caller, { steer = false } = {}) {
      checkOpen();
      const { queue, turns, turn } = recorder.state;
      if (queue.length + (turn?.steering.length ?? 0) >= maxQueue) {
        throw new ProtocolError("agent-busy", `${maxQueue} prompts are waiting already`);
      }
      if (hasEndedSince(prompt, recorder.state)) {
        await recorder.flush();
        throw new ProtocolError("unsupported-operation", `the task ${prompt.taskId} has ended`);
      }
      const { principal, name, credential } = caller;
      const taken: TakenPrompt = {
        ...prompt,
        origin: { principal, name },
        ...(credential !== undefined && { credential }),
        turn: turns + 1,
      };
      // A turn acts with the rights of whoever prompted it: others do not get to steer it.
      if (steer && turn !== undefined && isSameSender(turn.prompt, taken)) {
        const { taskId, turn: number } = turn.prompt;
        const seq = await steerTurn(recorder, { ...taken, taskId });
        return { taskId, turn: number, seq };
      }
      traces.prompted(taken.turn);
      const seq = await takePrompt(recorder, taken);
      worker.wake();
      return { taskId: taken.taskId, turn: taken.turn, seq };
    },
    async withdraw(messageId) {
      checkOpen();
      const { queue, turn } = recorder.state;
      const queued = queue.find((prompt) => prompt.messageId === messageId);
      if (queued !== undefined) {
        await withdrawPrompt(recorder, queued);
        return true;
      }
      const isSteering = turn?.steering.some((prompt) => prompt.messageId === messageId) === true;
      if (isSteering)
        await recorder.commit({ journal: [{ type: "steering-withdrawn", messageId }] });
      return isSteering;
    },
    async retry() {
      checkOpen();
      const { failed, turn, queue } = recorder.state;
      if (failed === undefined || turn !== undefined || queue.length > 0) return undefined;
      const seq = await retryTurn(recorder, failed);
      worker.wake();
      return { taskId: failed.taskId, turn: recorder.state.turns, seq };
    },
    async answer(confirmation, origin, { messageId, taskId } = {}) {
      checkOpen();
      const { turn } = recorder.state;
      const isElsewhere =
        taskId !== undefined && turn !== undefined && turn.prompt.taskId !== taskId;
      const isOpen = turn?.calls.some((call) => call.toolCallId === confirmation.toolCallId);
      if (isElsewhere && isOpen === true) return { accepted: false, reason: "unknown" };
      return await answerQuestion({
        confirmation,
        origin,
        messageId,
        recorder,
        tools,
        answers,
        traces,
      });
    },
    async cancel(taskId) {
      checkOpen();
      if (taskId !== options.openTaskId) {
        return await cancelWork((prompt) => prompt.taskId === taskId);
      }
      // Everyone's prompts wait for the task that everyone shares: they outlive the turn before them.
      const running = recorder.state.turn?.prompt;
      if (running?.taskId !== taskId) return false;
      await worker.cancelTurn(running.turn, []);
      return true;
    },
    async runCommand({ path, args, taskId, messageId }, caller) {
      checkOpen();
      const by = commandCaller(caller, caller.credential);
      const match = commands.find(path, args, by);
      if (match.type === "missing") return { status: "FAILED_TO_START", message: match.reason };
      const text = ["/", path.join(" "), args === "" ? "" : ` ${args}`].join("");
      const prompt = {
        messageId,
        parts: [{ type: "text", text }],
        command: { path, args },
      } as const;
      const { turn, queue, openTaskId } = recorder.state;
      const isBusy = turn !== undefined || queue.length > 0;
      if (isBusy && canRunAtOnce(match.command, args)) {
        const isTaken = [turn?.prompt.taskId, openTaskId].includes(taskId);
        const own = isTaken ? createId() : taskId;
        return await atOnce.run(match.command, { ...prompt, taskId: own }, caller);
      }
      const ticket = await session.prompt({ ...prompt, taskId }, caller);
      if (match.command.asksFirst?.(args, by) !== true)
        return { status: "STARTED", message: "", ticket };
      const { signal } = closing;
      return { ...(await awaitCommandBeginning({ recorder, turn: ticket.turn, signal })), ticket };
    },
    async finish() {
      checkOpen();
      if (recorder.state.turn?.calls.some(isWaiting) === true) return false;
      isClosed = true;
      await cancelWork(() => true);
      await closeTask(recorder);
      return true;
    },
    commands: () => commands.list(),
    mode: modes.find,
    otherModes: modes.others,
    snapshot: () => recorder.state,
    async close() {
      isClosed = true;
      closing.abort();
      await worker.close();
      await recorder.flush();
    },
  };
  return session;
}

function isSameSender(one: TakenPrompt, other: TakenPrompt): boolean {
  return one.origin.principal === other.origin.principal && one.credential === other.credential;
}

function runningPrompt({ turn }: SessionState): TakenPrompt {
  if (turn === undefined) throw new Error("no turn is running");
  return turn.prompt;
}

// Not everyone may continue what has ended: who took the task for alive looks again.
function hasEndedSince({ taskId, taskState }: Prompt, { tasks }: SessionState): boolean {
  const state = tasks[taskId];
  if (taskState === undefined || state === undefined) return false;
  return isTerminalState(state) && !isTerminalState(taskState);
}
