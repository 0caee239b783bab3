import type {
  AgentSettings,
  AnswerVerdict,
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
  prompt(prompt: AgentPrompt, origin: Principal): Promise<PromptTicket>;
  /** Answers an open question; the agent alone decides whose answer counts. */
  answer(
    confirmation: ToolCallConfirmation,
    origin: Principal,
    options?: AnswerOptions,
  ): Promise<AnswerVerdict>;
  /** Ends what a task is doing; false where it does nothing. */
  cancel(taskId: string): Promise<boolean>;
  /** Runs a slash command as a turn; resolves when it has begun, asked or been refused. */
  runCommand(request: AgentCommand, origin: Principal): Promise<CommandTicket>;
  /** The slash commands there are. */
  commands(): readonly SlashCommand[];
  close(): Promise<void>;
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
  /** Set where this turn and later ones of the task by the same principal may act without asking. */
  readonly taskMode?: "yolo";
  /** The state of the task, where it existed before. */
  readonly taskState?: TaskState;
}

/** What the server gives a session: one atomic commit of what observers see and a restore needs. */
export interface AgentLedger {
  append(entry: LedgerEntry): Promise<number>;
  publishLive(event: StampedEvent): void;
}

/** What a session is opened with. */
export interface OpenAgentOptions {
  readonly contextId: string;
  readonly settings: AgentSettings;
  readonly ledger: AgentLedger;
  /** What the session wrote before; empty for a new one. */
  readonly journal: readonly JsonObject[];
}

/** Opens a session of the agent, new or restored. */
export type OpenAgent = (options: OpenAgentOptions) => Promise<AgentPort>;
