import type { ToolCall } from "@dt/schema";
import type { CommandCall } from "../commands/command.js";
import type { Model } from "../model/model.js";
import type { ModelPrice } from "../model/model-price.js";
import type { ToolRegistry } from "../tools/tool-registry.js";
import type { Workspace } from "../workspace/workspace.js";
import type { TurnLimits } from "./limits/turn-limits.js";
import type { WorkClock } from "./limits/work-clock.js";
import type { EngineTurn } from "./turn-engine.js";

/** Copies files before a call changes them, so that they can be restored. */
export interface CheckpointPort {
  save(edit: { readonly turn: number; readonly paths: readonly string[] }): Promise<unknown>;
}

/**
 * Tool calls that run before the first request to the model. For example, they ask the person whether
 * an MCP server that a client configured may start.
 */
export interface Prelude {
  /** Returns the calls that have not run yet. */
  calls(): readonly CommandCall[];
  /** Called with the calls once they have ended. */
  settled(calls: readonly ToolCall[]): void;
}

/** The state and functions that tool calls of a turn use, whoever requests the calls. */
export interface CallScope extends Omit<EngineTurn, "stopAtLimit"> {
  readonly tools: ToolRegistry;
  readonly workspace: Workspace;
  readonly workClock: WorkClock;
  readonly checkpoints: CheckpointPort | undefined;
}

/** The functions that a command of a turn uses besides its tool calls. */
export interface CommandScope extends CallScope {
  /** Checks a model that a command chose; throws if the model cannot be created. */
  readonly checkModel: (name: string) => void;
  /** Continues the turn with the prompt that is last in the conversation. */
  readonly runPrompt: () => Promise<void>;
  /** Replaces the earlier conversation with a summary. Resolves with false if nothing was replaced. */
  readonly compact: () => Promise<boolean>;
}

/** The state and functions that all steps of a turn of our own model use. */
export interface TurnScope extends CallScope {
  readonly model: Model;
  readonly limits: TurnLimits;
  /** Returns the instructions for the model. */
  readonly system: (() => string) | undefined;
  readonly prelude: Prelude | undefined;
  /** Resolves when the tools are available. */
  readonly ready: Promise<void>;
  /** Returns the price of a model; undefined if the price is not known. */
  readonly priceOf: (modelName: string) => ModelPrice | undefined;
}
