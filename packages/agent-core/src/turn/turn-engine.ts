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
 * Runs the turns of a session. The model loop is one engine; another agent can be a second one. The
 * session itself owns the queue, the receipts, the answers and the journal.
 */
export interface TurnEngine {
  /** Slash commands; a prompt with one of them runs as a turn of this engine. */
  readonly commands: CommandRegistry;
  /** Returns the name of the model that replies in this state of the session. */
  modelName(state: SessionState): string;
  /** Returns the model, the MCP servers and the tools at the moment. */
  metadata(state: SessionState): AgentMetadata;
  /** Runs a turn to its end. Throws if the turn fails; returns early if its signal aborts. */
  run(turn: EngineTurn): Promise<void>;
  /** True if a call only reads, so that it need not wait for calls before it. */
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
  /** Sender of the prompt, as commands see it. */
  readonly commandCaller: () => CommandCaller;
  readonly createId: () => string;
  /** Parent of the spans of this turn. */
  readonly span: Context;
  readonly traces: TurnTraces;
  /** Stops the turn because it exceeded its working time. */
  readonly stopAtLimit: () => void;
  /** Aborts when the turn is cancelled or stopped at its limit, or the session closes. */
  readonly signal: AbortSignal;
}
