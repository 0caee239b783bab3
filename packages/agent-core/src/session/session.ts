import type {
  AnswerVerdict,
  Caller,
  CommandTicket,
  Principal,
  PromptTicket,
  SlashCommand,
  ToolCallConfirmation,
} from "@dt/schema";
import type { PermissionMode } from "../confirmation/permission-policy.js";
import type { Prompt, SessionState } from "../record/session-state.js";
import type { HeldMode } from "../turn/credential-modes.js";

/** One conversation, its history, tools and workspace. Observers read its ledger. */
export interface Session {
  /**
   * Takes a prompt: its turn starts now, or when those before it have ended. With `steer`, a prompt
   * that comes during a turn joins that turn at its next step instead. Throws `unsupported-operation`
   * where the task has ended, against what the prompt says of it.
   */
  prompt(prompt: Prompt, caller: Caller, options?: PromptOptions): Promise<PromptTicket>;
  /** Takes a prompt out of the queue; false where it does not wait (any more). */
  withdraw(messageId: string): Promise<boolean>;
  /** Answers an open question. The first answer counts; a later one is told who was first. */
  answer(
    confirmation: ToolCallConfirmation,
    origin: Principal,
    options?: AnswerOptions,
  ): Promise<AnswerVerdict>;
  /**
   * Ends the turn of a task, and withdraws its queued prompts, except those of the task that stays open:
   * they have their turns then. Resolves when that is committed, with false where there was nothing to
   * end.
   */
  cancel(taskId: string): Promise<boolean>;
  /**
   * Runs the turn that failed last again, from its last finished step; undefined where no turn has
   * failed, or something came after it.
   */
  retry(): Promise<PromptTicket | undefined>;
  /**
   * Runs a slash command as a turn of this session; resolves when it has begun, asked or been refused.
   * A command that cannot be started makes no task. One that only reads, or sets the caller's mode, does
   * not wait for the turns before it: it runs beside them as a task of its own.
   */
  runCommand(request: CommandRequest, caller: Caller): Promise<CommandTicket>;
  /**
   * Ends for good: cancels what runs and waits, completes the task that stays open, and takes nothing
   * more. While a question is open nothing is done, and false given: it waits for the next session.
   */
  finish(): Promise<boolean>;
  /** The slash commands there are. */
  commands(): readonly SlashCommand[];
  /** How freely the prompts of a credential act, unless they say otherwise themselves. */
  mode(credential: string | undefined): PermissionMode;
  /** The modes that other credentials than this one set for their prompts, while they last. */
  otherModes(credential: string): readonly HeldMode[];
  /** The session as it stands. */
  snapshot(): SessionState;
  /** Stops what runs and leaves the journal as it is: a restored session goes on from there. */
  close(): Promise<void>;
}

/** What an answer says about itself. */
export interface AnswerOptions {
  /** The message that it came in: a repeat of it is the same answer. */
  readonly messageId?: string;
  /** The task whose question it answers; a question of another task is unknown to it. */
  readonly taskId?: string;
}

/** How a prompt is taken. */
export interface PromptOptions {
  readonly steer?: boolean;
}

/** A slash command that someone wants to run. */
export interface CommandRequest {
  readonly messageId: string;
  /** The task of this execution; one that runs beside a turn of that task gets another id. */
  readonly taskId: string;
  /** E.g. ["memory", "add"]. */
  readonly path: readonly string[];
  readonly args: string;
}
