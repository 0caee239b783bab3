import { isTerminalStatus, isWaiting, type ToolCall } from "@dt/schema";
import type { Scope } from "../../confirmation/scope.js";
import type { Action } from "../../tools/action.js";
import type { AgentCallRecord } from "../../tools/agent-calls.js";
import type { ConfirmationDetails } from "../../tools/tool.js";
import type { ProcessMark } from "../../workspace/processes/process-mark.js";

/** Type of the error of a call that an interruption stopped. */
export const INTERRUPTED = "interrupted";

/** One tool call of the current step, with everything that the session knows about the call. */
export interface OpenCall {
  readonly toolCall: ToolCall;
  /**
   * If this call is a nested question: the id of the running call that asked it. Undefined if the model, a
   * command or a prelude requested this call.
   */
  readonly parentCallId?: string;
  /** True once subscribers have seen the call. */
  readonly isAnnounced: boolean;
  /** True if the call only reads, so that it waits for no other call. */
  readonly isReadOnly: boolean;
  /**
   * True if an external agent reported or requested the call. Such a call cannot continue after a restart,
   * because the agent that waits for it is gone.
   */
  readonly isExternal?: true;
  /** The reason why the model's input could not be parsed. */
  readonly inputError?: string;
  /** Set once the call has asked for confirmation. */
  readonly question?: CallQuestion;
  /** Set once someone has allowed the call. */
  readonly approval?: Approval;
  /** The reason that someone gave for refusing the call. */
  readonly refusalReason?: string;
  /** Identifies the processes of a call that has started. */
  readonly mark?: ProcessMark;
  /** The call of another agent that this call makes. */
  readonly agentCall?: AgentCallRecord;
}

/** The plan of a call at the moment of its question. */
export interface CallQuestion {
  readonly actions: readonly Action[];
  /** The permissions that the answer "always" would grant. */
  readonly scopes: readonly Scope[];
  /**
   * The files, programs or addresses that the call would touch. After a refusal, other calls of the same
   * turn must not touch them.
   */
  readonly targets: readonly string[];
}

/** A permission that a person gave, with the details that they saw. */
export interface Approval {
  readonly details: ConfirmationDetails;
}

/** Creates a call that has not been announced. */
export function toOpenCall(toolCall: ToolCall, inputError?: string): OpenCall {
  const call = { toolCall, isAnnounced: false, isReadOnly: false };
  return inputError === undefined ? call : { ...call, inputError };
}

/** Returns true until the call has ended. */
export function isOpen({ toolCall }: OpenCall): boolean {
  return !isTerminalStatus(toolCall.status);
}

/** Returns true while the call waits for an answer. */
export function isAsking({ toolCall }: OpenCall): boolean {
  return isWaiting(toolCall);
}

/** Finds a call of the current step by its id. */
export function findOpenCall(
  turn: { readonly calls: readonly OpenCall[] } | undefined,
  toolCallId: string,
): OpenCall | undefined {
  return turn?.calls.find(({ toolCall }) => toolCall.toolCallId === toolCallId);
}
