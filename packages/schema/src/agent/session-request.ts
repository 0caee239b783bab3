import type { Part } from "../event/part.js";
import type { TaskState } from "../event/task-state.js";
import type { ToolCallConfirmation } from "../gen/development_tool/confirmation.js";
import type { AccessChange } from "../gen/dt_session/event.js";
import type { PermissionMode } from "./permission-mode.js";

/**
 * A request to the agent of one session. Plain JSON: the same request can come from a socket, a
 * terminal, an editor or another process.
 */
export type SessionRequest =
  | PromptRequest
  | SteerRequest
  | WithdrawRequest
  | AnswerRequest
  | CancelRequest
  | RetryRequest
  | CommandRequest
  | ListCommandsRequest
  | OpenTaskRequest
  | GetModesRequest
  | GetMetadataRequest
  | ListPermissionsRequest
  | ForgetPermissionsRequest
  | AnnounceAccessRequest
  | FinishRequest;

/** Starts a turn now, or after earlier turns. */
export interface PromptRequest extends PromptContent {
  readonly type: "prompt";
}

/**
 * Joins the caller's own running turn at its next step; starts a turn if no turn of the caller
 * runs.
 */
export interface SteerRequest extends PromptContent {
  readonly type: "steer";
}

/** Content of a prompt, and the task that it belongs to. */
export interface PromptContent {
  readonly messageId: string;
  readonly taskId: string;
  readonly parts: readonly Part[];
  /** Mode of this turn. Default: the mode that the caller's credential set, else the session's. */
  readonly mode?: PermissionMode;
  /** Mode of this turn, and of later turns of the task if the same credential starts them. */
  readonly taskMode?: PermissionMode;
  /**
   * State in which the client found the task; absent for a new task. If the task has ended since
   * then, the agent refuses the prompt with `unsupported-operation`, because some dialects do not
   * allow a message to continue an ended task.
   */
  readonly taskState?: TaskState;
  /** Digest of the message's whole content; the agent copies it into the receipt. */
  readonly digest?: string;
  /** Number of agents that called each other to send this prompt. Absent if no agent sent it. */
  readonly callDepth?: number;
}

/** Removes a prompt from the queue. */
export interface WithdrawRequest {
  readonly type: "withdraw";
  readonly messageId: string;
}

/** Answers open questions, all in one commit. The agent alone decides which client's answer it accepts. */
export interface AnswerRequest {
  readonly type: "answer";
  readonly answers: readonly QuestionAnswer[];
  /** Id of the message with the answers. A repeat of the message counts as the same answer. */
  readonly messageId?: string;
  /** Digest of the whole content of the message with the answers; the agent copies it into the receipt. */
  readonly digest?: string;
  /** If set, the request can only answer questions of this task. */
  readonly taskId?: string;
}

/** The answer to one question. */
export interface QuestionAnswer extends ToolCallConfirmation {
  /** Reason for a refusal. The model reads it as the result of the call, in the same turn. */
  readonly reason?: string;
}

/** Ends the running turn of a task. Unless the task is the open task, withdraws its waiting prompts too. */
export interface CancelRequest {
  readonly type: "cancel";
  readonly taskId: string;
}

/** Retries the turn that failed last, from its last finished step. */
export interface RetryRequest {
  readonly type: "retry";
}

/** Runs a slash command, as a turn or beside a turn. */
export interface CommandRequest {
  readonly type: "command";
  readonly messageId: string;
  /** Task that the command runs in. */
  readonly taskId: string;
  /** Names of the command, the outermost first, e.g. ["memory", "add"]. */
  readonly path: readonly string[];
  readonly args: string;
}

/** Lists the slash commands. */
export interface ListCommandsRequest {
  readonly type: "list-commands";
}

/**
 * Creates a task that waits for its first prompt, in the state `input-required`. If the task exists
 * already, only its mode changes.
 */
export interface OpenTaskRequest {
  readonly type: "open-task";
  readonly taskId: string;
  /** Mode of the turns of the task if the same credential starts them. */
  readonly taskMode?: PermissionMode;
}

/** Reads the permission modes of the caller, of the session and of other credentials. */
export interface GetModesRequest {
  readonly type: "get-modes";
}

/** Reads the model, the MCP servers and the tools of the session. */
export interface GetMetadataRequest {
  readonly type: "get-metadata";
}

/** Lists the remembered answers. */
export interface ListPermissionsRequest {
  readonly type: "list-permissions";
}

/** Deletes remembered answers. */
export interface ForgetPermissionsRequest {
  readonly type: "forget-permissions";
  readonly numbers: readonly number[];
}

/** Tells subscribers that the access to the session has changed. Only the server sends this request. */
export interface AnnounceAccessRequest {
  readonly type: "announce-access";
  readonly access: AccessChange;
}

/**
 * Ends the session for good: cancels the running turn, withdraws the waiting prompts, completes the open
 * task and refuses later requests. Changes nothing while a question is open.
 */
export interface FinishRequest {
  readonly type: "finish";
}
