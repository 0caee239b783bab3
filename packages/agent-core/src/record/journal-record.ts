import type {
  ConfirmationAnswer,
  Part,
  PermissionMode,
  TaskState,
  Todo,
  ToolCall,
  Usage,
} from "@dt/schema";
import type { RememberedAnswer } from "../confirmation/remembered-answers.js";
import type { Scope } from "../confirmation/scope.js";
import type { HistoryItem, ModelHistoryPart } from "../model/history.js";
import type { Action } from "../tools/action.js";
import type { AgentCallRecord } from "../tools/agent-calls.js";
import type { ProcessMark } from "../workspace/processes/process-mark.js";
import type { Approval } from "./calls/open-call.js";
import type { AcceptedPrompt, TaskMode } from "./session-state.js";

/** One record of the journal. The records are enough to continue the session in another process. */
export type JournalRecord =
  | { readonly type: "prompted"; readonly prompt: AcceptedPrompt }
  | {
      readonly type: "withdrawn";
      readonly turn: number;
      /** Final state of the prompt's task, if the task ends because its last prompt is withdrawn. */
      readonly taskState?: TaskState;
    }
  | { readonly type: "turn-started"; readonly turn: number }
  | {
      readonly type: "model-answered";
      readonly said: readonly ModelHistoryPart[];
      readonly calls: readonly ToolCall[];
      readonly inputErrors?: Readonly<Record<string, string>>;
      readonly usage?: Usage;
      /** Cost of the reply in billionths of a dollar, if the price of its model is known. */
      readonly costNanos?: number;
      /** True if the reply broke off before its end. */
      readonly isBrokenOff?: boolean;
    }
  /** Calls of a round. A command or a prelude requested them, not the model. */
  | { readonly type: "calls-requested"; readonly calls: readonly ToolCall[] }
  | { readonly type: "steered"; readonly prompt: AcceptedPrompt }
  | { readonly type: "steering-delivered" }
  | { readonly type: "steering-withdrawn"; readonly messageId: string }
  /** A new turn that continues the last failed turn. */
  | { readonly type: "retried"; readonly turn: number }
  | { readonly type: "compacted"; readonly history: readonly HistoryItem[] }
  | { readonly type: "cleared" }
  | { readonly type: "command-prompted"; readonly parts: readonly Part[] }
  /** Written only by earlier versions. It is ignored, because a mode ends with its credential. */
  | { readonly type: "mode-set"; readonly principal: string; readonly mode: PermissionMode }
  /** A concurrent command, from start to end. */
  | {
      readonly type: "command-ran";
      readonly turn: number;
      readonly taskId: string;
      readonly state: TaskState;
    }
  | { readonly type: "model-set"; readonly name: string }
  /** The model has replaced its todo list. */
  | { readonly type: "todos-written"; readonly todos: readonly Todo[] }
  /** Warnings that were announced, so that a restart does not repeat them. */
  | { readonly type: "warned"; readonly messages: readonly string[] }
  /** The command of the running turn retries the last failed turn. */
  | { readonly type: "retry-taken" }
  | {
      readonly type: "call-changed";
      readonly toolCall: ToolCall;
      /** Set with the first change of a call that only reads. */
      readonly isReadOnly?: boolean;
      /** Set when the call starts; identifies its processes after a restart. */
      readonly mark?: ProcessMark;
    }
  /** A call that an external agent reported, or that it asked dt to run. */
  | { readonly type: "call-reported"; readonly toolCall: ToolCall }
  /** The process of an external agent is about to start; the mark identifies it after a restart. */
  | { readonly type: "external-started"; readonly agent: string; readonly mark: ProcessMark }
  /** An external agent has opened a session, which a later process may continue. */
  | { readonly type: "external-opened"; readonly agent: string; readonly sessionId: string }
  /** The text of an external agent's turn. dt's own model reads it if it continues the session later. */
  | {
      readonly type: "external-replied";
      readonly text: string;
      readonly usage?: Usage;
      /** Cost of the turn, in billionths of a dollar. */
      readonly costNanos?: number;
      /** Cost of the agent's own session so far, as the agent reports it, in billionths of a dollar. */
      readonly reportedNanos?: number;
    }
  /** A running call calls another agent. Written before the message is sent, and again when its task is known. */
  | {
      readonly type: "agent-called";
      readonly toolCallId: string;
      readonly agentCall: AgentCallRecord;
    }
  /** A question inside a running call. The question is a tool call of its own. */
  | {
      readonly type: "call-nested";
      readonly parentCallId: string;
      readonly toolCall: ToolCall;
    }
  | {
      readonly type: "asked";
      readonly toolCallId: string;
      /** Earlier versions wrote only the key of each scope. */
      readonly scopes: readonly (Scope | string)[];
      readonly targets: readonly string[];
      readonly actions: readonly Action[];
    }
  | {
      readonly type: "question-answered";
      readonly answer: ConfirmationAnswer;
      readonly approval?: Approval;
      /** Reason for a refusal. Written only by earlier versions; now `answer` contains the reason. */
      readonly reason?: string;
    }
  /** An answer "always". In journals of earlier versions, its `words` and `name` are missing. */
  | { readonly type: "remembered"; readonly answer: RememberedAnswer }
  /** Numbers of the remembered answers that were removed. */
  | { readonly type: "forgotten"; readonly numbers: readonly number[] }
  | { readonly type: "turn-ended"; readonly state: TaskState }
  /** A task that waits for its first prompt. */
  | { readonly type: "task-created"; readonly taskId: string }
  /** A mode for the prompts of one credential in one task. */
  | ({ readonly type: "task-mode-set"; readonly taskId: string } & TaskMode)
  /** A task that stays open from now on and waits for input between its turns. */
  | { readonly type: "task-opened"; readonly taskId: string }
  | { readonly type: "task-closed" };
