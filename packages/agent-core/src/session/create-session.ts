import { randomUUID } from "node:crypto";
import { type AgentLedger, type JsonObject, type PermissionMode, replyOrRefuse } from "@dt/schema";
import { MACHINE_CLOCK } from "../clock.js";
import { createPendingAnswers } from "../confirmation/pending-answers.js";
import { createRecorder } from "../record/recorder.js";
import { restoreState } from "../record/restore-state.js";
import { getRunningPrompt, type SessionState } from "../record/session-state.js";
import { openTask } from "../record/task-records.js";
import { interruptTurn } from "../record/turn-records.js";
import { announceWarnings } from "../record/warning-records.js";
import { createTurnTraces } from "../tracing/turn-traces.js";
import { createCredentialModes } from "../turn/credential-modes.js";
import type { TurnEngine } from "../turn/turn-engine.js";
import { createConcurrentCommands } from "./concurrent-commands.js";
import { endOrphanedCalls } from "./end-orphaned-calls.js";
import { handleRequest } from "./handle-request.js";
import type { Session } from "./session.js";
import { createSessionLifetime } from "./session-lifetime.js";
import type { SessionParts } from "./session-parts.js";
import { createTurnWorker, type TurnWorkerOptions } from "./turn-worker.js";

/** Options of {@link createSession}. */
export interface SessionOptions {
  /** Runs the turns. */
  readonly engine: TurnEngine;
  readonly ledger: AgentLedger;
  /** Permission mode of callers that have not set a mode. Default: "default". */
  readonly mode?: PermissionMode;
  /** The freest mode that any prompt may have. Freer modes count as this one. Default: "yolo". */
  readonly maxMode?: PermissionMode;
  /**
   * Returns true until the credential ends. When a credential ends, the mode that it set ends too. Default:
   * credentials never end.
   */
  readonly isCredentialAlive?: (credential: string) => boolean;
  /** Credential of the host's own terminal. Some commands run only for this credential. */
  readonly hostCredential?: string;
  /** Journal of the session that is continued. Undefined for a new session. */
  readonly journal?: readonly JsonObject[];
  /**
   * Reason why the session was interrupted, shown on interrupted calls and turns. Default: "interrupted by a
   * restart".
   */
  readonly interruption?: string;
  /**
   * Task that stays open as long as the session does. It waits in `input-required` between its
   * turns, so that clients can always join and prompt it.
   */
  readonly openTaskId?: string;
  /** Problems that the person should know about. Each is announced once, in the next turn. Default: none. */
  readonly warnings?: readonly string[];
  /** Maximum number of waiting prompts, and of commands that run beside the turn. Default: 100. */
  readonly maxQueue?: number;
  /** Clock for the times of events. Default: the clock of this machine. */
  readonly now?: () => Date;
  readonly createId?: () => string;
  /** Called when the session cannot continue because its ledger failed. */
  readonly onFault?: (reason: unknown) => void;
}

/** Starts a new session. If a journal is given, continues the session that wrote it. */
export async function createSession(options: SessionOptions): Promise<Session> {
  const { interruption: reason = "interrupted by a restart", openTaskId } = options;
  const restored = restoreState(options.journal);
  // modelName throws if the session's model is not available. It is called before the first commit, so that
  // a session without its model commits nothing.
  options.engine.modelName(restored);
  const parts = createParts(options, restored);
  const { recorder, worker, lifetime } = parts;
  await interruptTurn(recorder, { reason, remarks: await endOrphanedCalls(restored) });
  if (openTaskId !== undefined) await openTask(recorder, openTaskId);
  worker.wake();
  return {
    handle: (request, caller) => replyOrRefuse(() => handleRequest(request, caller, parts)),
    snapshot: () => recorder.state,
    async close() {
      lifetime.close();
      await worker.close();
      await recorder.flush();
    },
  };
}

function createParts(options: SessionOptions, restored: SessionState): SessionParts {
  const { engine, openTaskId, mode: startMode = "default", maxQueue = 100 } = options;
  const { now = MACHINE_CLOCK.now, createId = randomUUID, onFault = () => {} } = options;
  const { isCredentialAlive = () => true, hostCredential, maxMode = "yolo" } = options;
  const answers = createPendingAnswers();
  const traces = createTurnTraces();
  const recorder = createRecorder({
    ledger: options.ledger,
    now,
    modelName: engine.modelName,
    traceIdOf: traces.traceIdOf,
    state: restored,
  });
  const state = () => recorder.state;
  const modes = createCredentialModes({ startMode, maxMode, isAlive: isCredentialAlive, state });
  const toCommandCaller: SessionParts["toCommandCaller"] = ({ user, credential, role }) => ({
    user,
    ...(role !== undefined && { role }),
    ...(credential !== undefined && isCredentialAlive(credential) && { credential }),
    isHost: credential !== undefined && credential === hostCredential,
  });
  const commandCaller = () => {
    const { origin, credential } = getRunningPrompt(recorder.state);
    const user = origin.principal;
    return toCommandCaller({ user, ...(credential !== undefined && { credential }) });
  };
  const shared = { recorder, answers, modes, mode: modes.ofTurn, commandCaller, createId, traces };
  const runTurn: TurnWorkerOptions["runTurn"] = async (turn) => {
    await announceWarnings(recorder, options.warnings ?? []);
    await engine.run({ ...shared, ...turn });
  };
  const worker = createTurnWorker({ recorder, runTurn, traces, onFault });
  const lifetime = createSessionLifetime();
  const concurrent = { recorder, modes, maxRunning: maxQueue, toCommandCaller, lifetime };
  const concurrentCommands = createConcurrentCommands(concurrent);
  return {
    recorder,
    worker,
    lifetime,
    engine,
    concurrentCommands,
    modes,
    answers,
    traces,
    openTaskId,
    maxQueue,
    createId,
    toCommandCaller,
  };
}
