import type { ToolCall } from "@dt/schema";
import type { Context } from "@opentelemetry/api";
import type { CommandCall, CommandCaller } from "../commands/command.js";
import type { PendingAnswers } from "../confirmation/pending-answers.js";
import type { PermissionMode } from "../confirmation/permission-policy.js";
import type { Model } from "../model/model.js";
import type { Recorder } from "../record/recorder.js";
import type { ToolRegistry } from "../tools/tool-registry.js";
import type { TurnTraces } from "../tracing/turn-traces.js";
import type { Workspace } from "../workspace/workspace.js";
import type { CredentialModes } from "./credential-modes.js";
import type { TurnLimits } from "./turn-limits.js";
import type { WorkClock } from "./work-clock.js";

/** Where files are copied before a call changes them, so that they can be put back. */
export interface CheckpointPort {
  save(edit: { readonly turn: number; readonly paths: readonly string[] }): Promise<unknown>;
}

/** What must be asked before the model is, such as whether a client's program may be started. */
export interface Prelude {
  /** The calls that are still to be made. */
  calls(): readonly CommandCall[];
  /** Told what became of them. */
  settled(calls: readonly ToolCall[]): void;
}

/** What every step of one turn shares. */
export interface TurnScope {
  readonly model: Model;
  readonly tools: ToolRegistry;
  readonly workspace: Workspace;
  readonly recorder: Recorder;
  readonly answers: PendingAnswers;
  /** How freely the turn may act now; asked for every call, since its credential may end meanwhile. */
  readonly mode: () => PermissionMode;
  readonly modes: Pick<CredentialModes, "find" | "set">;
  /** Whoever prompted the turn, as a command sees them. */
  readonly commandCaller: () => CommandCaller;
  readonly limits: TurnLimits;
  readonly workClock: WorkClock;
  /** What the model is told before the conversation. */
  readonly system: (() => string) | undefined;
  readonly checkpoints: CheckpointPort | undefined;
  readonly prelude: Prelude | undefined;
  /** Resolves when the tools are there. */
  readonly ready: Promise<void>;
  /** Changes the model of the session; throws {@link CommandError} for a name that cannot be used. */
  readonly setModel: (name: string) => void;
  readonly createId: () => string;
  /** What the spans of this turn belong to. */
  readonly span: Context;
  readonly traces: TurnTraces;
  /** Aborts when the turn is cancelled or the session closes. */
  readonly signal: AbortSignal;
}
