import type { StampedEvent } from "../event/agent-event.js";
import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { JsonObject } from "../validation/message-json.js";
import type { Caller } from "./caller.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { SessionReply } from "./session-reply.js";
import type { SessionRequest } from "./session-request.js";

/** The agent of one session. All requests call one function. */
export interface AgentPort {
  /**
   * Resolves when the effect of the request is committed, or when the request is refused. Rejects
   * only for faults of the agent or its store.
   */
  handle(request: SessionRequest, caller: Caller): Promise<SessionReply>;
  /**
   * Stops the agent without cancelling its turns. The next agent of the session continues from the
   * journal.
   */
  close(): Promise<void>;
}

/** Writes the log of a session. */
export interface AgentLedger {
  /**
   * Commits events and journal records together. Resolves, once they are stored, with the position
   * before the first of the events.
   */
  append(entry: LedgerEntry): Promise<number>;
  /** Shows an event to current subscribers without logging it. */
  publishLive(event: StampedEvent): void;
}

/** Settings of a session, and what the server knows about the client that sent them. */
export interface SessionSettings extends AgentSettings {
  /** True if that client connected over loopback; absent for settings that no client sent. */
  readonly isFromLoopback?: boolean;
  /** True if that client sent its own key of the model. The key itself is never stored. */
  readonly hasModelKey?: boolean;
}

/** Options for opening the agent of a session. */
export interface OpenAgentOptions {
  readonly contextId: string;
  readonly settings: SessionSettings;
  readonly ledger: AgentLedger;
  /** Key of the model that the client sent. It is a secret that must not be stored. */
  readonly modelKey?: string;
  /** Journal of the session; empty for a new one. */
  readonly journal: readonly JsonObject[];
  /** Reason why the session stopped before; absent after a restart of the process. */
  readonly interruption?: string;
  /** Returns true until a credential has ended. A mode that the credential set ends with it. */
  isCredentialAlive(credential: string): boolean;
  /** Task of a live session, which stays in `input-required` between its turns. */
  readonly openTaskId?: string;
}

/** Opens the agent of a session, new or restored. */
export type OpenAgent = (options: OpenAgentOptions) => Promise<AgentPort>;
