import type {
  AgentSettings,
  AnswerVerdict,
  JsonObject,
  LedgerEntry,
  Part,
  Principal,
  PromptTicket,
  StampedEvent,
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
    messageId?: string,
  ): Promise<AnswerVerdict>;
  /** Ends what a task is doing; false where it does nothing. */
  cancel(taskId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** What starts a turn. */
export interface AgentPrompt {
  readonly messageId: string;
  readonly taskId: string;
  readonly parts: readonly Part[];
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
