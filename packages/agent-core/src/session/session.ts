import type { AnswerVerdict, Principal, PromptTicket, ToolCallConfirmation } from "@dt/schema";
import type { Prompt, SessionState } from "../record/session-state.js";

/** One conversation, its history, tools and workspace. Observers read its ledger. */
export interface Session {
  /** Takes a prompt: its turn starts now, or when those before it have ended. */
  prompt(prompt: Prompt, origin: Principal): Promise<PromptTicket>;
  /** Answers an open question. The first answer counts; a later one is told who was first. */
  answer(
    confirmation: ToolCallConfirmation,
    origin: Principal,
    messageId?: string,
  ): Promise<AnswerVerdict>;
  /**
   * Ends the turn of a task, or withdraws its queued prompt; resolves when that is committed, with
   * false where there was nothing to end.
   */
  cancel(taskId: string): Promise<boolean>;
  /** The session as it stands. */
  snapshot(): SessionState;
  /** Stops what runs and leaves the journal as it is: a restored session goes on from there. */
  close(): Promise<void>;
}
