import type { ToolCall } from "@dt/schema";
import type { CommandCall } from "../commands/command.js";
import type { Model } from "../model/model.js";
import type { ToolRegistry } from "../tools/tool-registry.js";
import type { Workspace } from "../workspace/workspace.js";
import type { TurnLimits } from "./limits/turn-limits.js";
import type { WorkClock } from "./limits/work-clock.js";
import type { EngineTurn } from "./turn-engine.js";

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

/** Everything that the steps of one turn share. */
export interface TurnScope extends Omit<EngineTurn, "stopAtLimit"> {
  readonly model: Model;
  readonly tools: ToolRegistry;
  readonly workspace: Workspace;
  readonly limits: TurnLimits;
  readonly workClock: WorkClock;
  /** Instructions for the model. */
  readonly system: (() => string) | undefined;
  readonly checkpoints: CheckpointPort | undefined;
  readonly prelude: Prelude | undefined;
  /** Resolves when the tools are there. */
  readonly ready: Promise<void>;
  /** Checks a model that a command chose; throws {@link CommandError} for a name that cannot be used. */
  readonly setModel: (name: string) => void;
}
