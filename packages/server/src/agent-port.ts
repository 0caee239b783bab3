import type {
  AgentSettings,
  AnswerVerdict,
  Caller,
  CommandTicket,
  JsonObject,
  LedgerEntry,
  Part,
  Principal,
  PromptTicket,
  SlashCommand,
  StampedEvent,
  TaskState,
  ToolCallConfirmation,
} from "@dt/schema";

/** All the server knows about an agent: one session of it. */
export interface AgentPort {
  /** Takes a prompt; resolves when it is committed. */
  prompt(prompt: AgentPrompt, caller: Caller, options?: AgentPromptOptions): Promise<PromptTicket>;
  /** Takes a prompt out of the queue; false where it does not wait (any more). */
  withdraw(messageId: string): Promise<boolean>;
  /** Answers an open question; the agent alone decides whose answer counts. */
  answer(
    confirmation: ToolCallConfirmation,
    origin: Principal,
    options?: AnswerOptions,
  ): Promise<AnswerVerdict>;
  /** Ends what a task is doing; false where it does nothing. */
  cancel(taskId: string): Promise<boolean>;
  /** Runs a slash command as a turn; resolves when it has begun, asked or been refused. */
  runCommand(request: AgentCommand, caller: Caller): Promise<CommandTicket>;
  /** The slash commands there are. */
  commands(): readonly SlashCommand[];
  /** How freely the prompts of a credential act, where the agent has such modes. */
  mode?(credential: string | undefined): string;
  /**
   * Ends for good: cancels what runs, completes the task that stays open, takes nothing more. False
   * where a question is open: it, and its task, wait for whoever opens the session next.
   */
  finish(): Promise<boolean>;
  /** Stops, and leaves everything to whoever opens the session next. */
  close(): Promise<void>;
}

/** How a prompt is taken. */
export interface AgentPromptOptions {
  /** Whether it joins its sender's own running turn at the next step, instead of waiting. */
  readonly steer?: boolean;
}

/** What an answer says about itself. */
export interface AnswerOptions {
  /** The message that it came in: a repeat of it is the same answer. */
  readonly messageId?: string;
  /** The task that the answering client named; a question of another task is not its to answer. */
  readonly taskId?: string;
}

/** A slash command to run. */
export interface AgentCommand {
  readonly messageId: string;
  /** The task of this execution. */
  readonly taskId: string;
  readonly path: readonly string[];
  readonly args: string;
}

/** What starts a turn. */
export interface AgentPrompt {
  readonly messageId: string;
  readonly taskId: string;
  readonly parts: readonly Part[];
  /** Set where this turn may act without asking. */
  readonly mode?: "yolo";
  /** Set where this turn and later ones of the task by the same credential may act without asking. */
  readonly taskMode?: "yolo";
  /**
   * The state of the task as the client found it, where it existed before. A prompt to one that has
   * ended since is refused with `unsupported-operation`: not every client may continue it.
   */
  readonly taskState?: TaskState;
}

/** What the server gives a session: one atomic commit of what observers see and a restore needs. */
export interface AgentLedger {
  append(entry: LedgerEntry): Promise<number>;
  publishLive(event: StampedEvent): void;
}

/** The settings of a session, and what the server knows about the client that sent them. */
export interface SessionSettings extends AgentSettings {
  /** Whether that client connected over loopback; absent for settings that no client sent. */
  readonly isFromLoopback?: boolean;
}

/** What a session is opened with. */
export interface OpenAgentOptions {
  readonly contextId: string;
  readonly settings: SessionSettings;
  readonly ledger: AgentLedger;
  /** What the session wrote before; empty for a new one. */
  readonly journal: readonly JsonObject[];
  /** Why the session stopped before; absent if this process started after that. */
  readonly interruption?: string;
  /** Whether a credential has not ended: a mode that it set lasts as long. */
  isCredentialAlive(credential: string): boolean;
  /** On a live session: the task that rests in `input-required` between its turns. (DESIGN 3.12) */
  readonly openTaskId?: string;
}

/** Opens a session of the agent, new or restored. */
export type OpenAgent = (options: OpenAgentOptions) => Promise<AgentPort>;
