import type { Artifact, Part } from "../../event/part.js";
import type { ErrorDetails, ToolCall, ToolOutput } from "../../gen/development_tool/tool_call.js";
import type { StopSignal } from "../face/face-port.js";

/**
 * Maximum depth of a prompt. The prompt of a person has the depth 0. A prompt that an agent sends to another
 * agent is one deeper than the prompt that the sender works on.
 */
export const MAX_CALL_DEPTH = 4;

/** Another agent that an agent may call. */
export interface CalledAgent {
  /** Name that the model and the person see. */
  readonly name: string;
  readonly url: string;
  /** Secret that is sent to the origin of `url` only. */
  readonly token?: string;
  /** Directory in which the agent works, on its own machine. */
  readonly workspacePath: string;
}

/** One call of another agent, with the functions that the call may use. */
export interface AgentCall {
  readonly agent: CalledAgent;
  readonly prompt: string;
  /** Id of the message. A repeated call has the same id, so that the called agent recognises it. */
  readonly messageId: string;
  /** Task that an interrupted call has started. This call joins that task, or starts one if the field is absent. */
  readonly taskId?: string;
  /** Depth of the prompt, see {@link MAX_CALL_DEPTH}; 1 if the calling agent works for a person. */
  readonly depth: number;
  /**
   * Longest time without an event of the called agent, in milliseconds. The time while a question is open
   * does not count.
   */
  readonly silenceMs: number;
  /** Aborts when the call is cancelled or its session closes. */
  readonly signal: StopSignal;
  /**
   * Called if the call fails or is aborted. Returns true if the called agent must go on, because a later call
   * may join its task; otherwise the task is cancelled.
   */
  keepsTask(): boolean;
  /**
   * Reports that the called agent has accepted the prompt. The call goes on when the returned promise
   * resolves.
   */
  accepted(task: { readonly taskId: string }): Promise<void>;
  /** Replaces the live output of the call. */
  print(liveContent: string): void;
  /** Asks a question of the called agent. */
  ask(question: AgentCallQuestion): AskedQuestion;
}

/** A question that waits for its answer. */
export interface AskedQuestion {
  /** Rejects if the question is withdrawn, or the call ends before the answer. */
  readonly answer: Promise<AgentCallAnswer>;
  /** Closes a question that was answered elsewhere. */
  withdraw(): void;
}

/**
 * A question of a called agent. It is about one of the agent's tool calls, or it is free text if the agent
 * has none of our extensions.
 */
export type AgentCallQuestion =
  | { readonly type: "tool-call"; readonly toolCall: ToolCall }
  | { readonly type: "text"; readonly text: string };

/** The answer of the person, or of the policy. */
export type AgentCallAnswer =
  | {
      readonly isGranted: true;
      /** The text with which the person replaced the proposed text; undefined without an edit. */
      readonly newContent?: string;
      /** Reports the end of the permitted step. The caller reports it, because the called agent runs the step. */
      finish(end: AgentCallStepEnd): Promise<void>;
    }
  | { readonly isGranted: false; readonly reason?: string };

/** Result of a step that the called agent ran after permission. */
export type AgentCallStepEnd =
  | { readonly type: "succeed"; readonly output: ToolOutput }
  | { readonly type: "fail"; readonly error: ErrorDetails };

/** Result of the called agent's turn. */
export interface AgentCallResult {
  readonly taskId: string;
  readonly state: "completed" | "failed" | "canceled";
  /** Parts of the agent's messages, in order. */
  readonly parts: readonly Part[];
  readonly artifacts: readonly Artifact[];
  /** Reason why the turn failed. */
  readonly error?: string;
}

/**
 * Calls another agent. Resolves when the agent's turn ends. Rejects if the agent cannot be reached or
 * refuses the call, and after an abort.
 */
export type CallAgent = (call: AgentCall) => Promise<AgentCallResult>;
