import type { StampedEvent } from "../event/agent-event.js";
import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { JsonObject } from "../validation/message-json.js";
import type { BudgetPort } from "./budget-port.js";
import type { Caller } from "./caller.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { SessionReply } from "./session-reply.js";
import type { SessionRequest } from "./session-request.js";

/** The agent of one session. Every request goes through `handle`. */
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
   * Commits events and journal records together. Resolves when they are stored, with the position in the
   * log just before the first of these events.
   */
  append(entry: LedgerEntry): Promise<number>;
  /** Shows an event to current subscribers without logging it. */
  publishLive(event: StampedEvent): void;
}

/** Settings of a session, and what the server knows about the client that sent them. */
export interface SessionSettings extends AgentSettings {
  /** True if the client that sent the settings connected over loopback; absent if no client sent them. */
  readonly isFromLoopback?: boolean;
  /** True if the client that sent the settings also sent a model key. The key itself is not in the settings. */
  readonly hasModelKey?: boolean;
  /** Secrets of the client, sealed by the server. Agents never get this field. */
  readonly sealed?: SealedSecrets;
}

/** Secrets of a client in stored settings. Only the server that sealed the secrets can read them. */
export interface SealedSecrets {
  /** The encrypted secrets, or a reference to secrets that the server keeps in memory. */
  readonly text: string;
  /** Names of the MCP servers in `text`. A server with secrets is sealed as a whole. */
  readonly servers: readonly string[];
}

/** Options for opening the agent of a session. */
export interface OpenAgentOptions {
  readonly contextId: string;
  readonly settings: SessionSettings;
  readonly ledger: AgentLedger;
  /**
   * Keeps the budgets of the session and of its owner. Absent if the opener of the agent counts no budgets;
   * the agent then enforces none.
   */
  readonly budget?: BudgetPort;
  /** Model key that the client sent. The key is a secret and must not be stored. */
  readonly modelKey?: string;
  /** Problems that people in the session should know about, such as lost secrets. */
  readonly warnings?: readonly string[];
  /** Journal of the session; empty for a new one. */
  readonly journal: readonly JsonObject[];
  /**
   * Reason why the previous agent of the session stopped. Absent for a new session. Also absent after a
   * restart; interrupted turns then end with "interrupted by a restart".
   */
  readonly interruption?: string;
  /**
   * Returns false once a credential has ended. A permission mode that the credential had set then no longer
   * applies, unless it is stricter than the mode of the session.
   */
  isCredentialAlive(credential: string): boolean;
  /** Id of the open task of a live session. The task stays in `input-required` between turns. */
  readonly openTaskId?: string;
}

/** Opens the agent of a new or restored session. */
export type OpenAgent = (options: OpenAgentOptions) => Promise<AgentPort>;
