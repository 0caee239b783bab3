import type { Caller } from "@dt/schema";
import type { CommandCaller } from "../commands/command.js";
import type { PendingAnswers } from "../confirmation/pending-answers.js";
import type { Recorder } from "../record/recorder.js";
import type { TurnTraces } from "../tracing/turn-traces.js";
import type { CredentialModes } from "../turn/credential-modes.js";
import type { TurnEngine } from "../turn/turn-engine.js";
import type { ConcurrentCommands } from "./concurrent-commands.js";
import type { SessionLifetime } from "./session-lifetime.js";
import type { TurnWorker } from "./turn-worker.js";

/** The parts of a session that its requests use. */
export interface SessionParts {
  readonly recorder: Recorder;
  readonly worker: TurnWorker;
  readonly lifetime: SessionLifetime;
  readonly concurrentCommands: ConcurrentCommands;
  readonly modes: CredentialModes;
  readonly engine: TurnEngine;
  readonly answers: PendingAnswers;
  readonly traces: TurnTraces;
  /** Id of the task that stays open as long as the session does; undefined if there is no such task. */
  readonly openTaskId: string | undefined;
  /** Maximum number of waiting prompts. */
  readonly maxQueue: number;
  createId(): string;
  /** Converts a caller to the form that commands see. */
  toCommandCaller(
    caller: Pick<Caller, "user" | "credential"> & Partial<Pick<Caller, "role">>,
  ): CommandCaller;
}
