import type { AgentMetadata, PermissionMode, ToolCall } from "@dt/schema";
import type { Context } from "@opentelemetry/api";
import type { CommandCaller } from "../commands/command.js";
import type { CommandRegistry } from "../commands/command-registry.js";
import type { PendingAnswers } from "../confirmation/pending-answers.js";
import type { Recorder } from "../record/recorder.js";
import type { SessionState } from "../record/session-state.js";
import type { TurnTraces } from "../tracing/turn-traces.js";
import type { CredentialModes } from "./credential-modes.js";

/**
 * Runs the turns of a session. One engine is our model loop; another engine can pass the turns to
 * another agent. The session itself owns the queue, the receipts, the answers and the journal.
 */
export interface TurnEngine {
  /** Slash commands. A prompt that starts with one of these commands runs as a turn of this engine. */
  readonly commands: CommandRegistry;
  /** Returns the name of the model that a session in this state uses. */
  modelName(state: SessionState): string;
  /** Returns the current model, MCP servers and tools. */
  metadata(state: SessionState): AgentMetadata;
  /** Runs a turn to its end. Throws if the turn fails; returns early if its signal aborts. */
  run(turn: EngineTurn): Promise<void>;
  /** True if a call only reads. Such a call does not wait for the calls before it. */
  isReadOnly(call: ToolCall): boolean;
  /**
   * Returns the input of a call with the content that a person edited; undefined if the call has no
   * content to edit.
   */
  reviseInput(call: ToolCall, content: string): ToolCall["inputParameters"];
}

/** One turn, as the session passes it to its engine. */
export interface EngineTurn {
  /** The state of the turn, and the commits that change it. */
  readonly recorder: Recorder;
  /** Waits for the answers to the turn's questions. */
  readonly answers: PendingAnswers;
  /**
   * Returns the current permission mode. Call it for every tool call, because a credential may end
   * during the turn.
   */
  readonly mode: () => PermissionMode;
  readonly modes: Pick<CredentialModes, "find" | "set">;
  /** Returns the sender of the prompt in the form that commands get. */
  readonly commandCaller: () => CommandCaller;
  readonly createId: () => string;
  /** Parent context of the spans that this turn starts. */
  readonly span: Context;
  readonly traces: TurnTraces;
  /** Stops the turn. The engine calls this when the turn exceeds its working time. */
  readonly stopAtLimit: () => void;
  /** Aborts when the turn is cancelled or stopped at its limit, or the session closes. */
  readonly signal: AbortSignal;
}
