import type { StampedEvent } from "../event/agent-event.js";
import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { JsonObject } from "../validation/message-json.js";
import type { Caller } from "./caller.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { SessionReply } from "./session-reply.js";
import type { SessionRequest } from "./session-request.js";

/** The agent of one session. Every request to it goes through one function. */
export interface AgentPort {
  /**
   * Resolves when the request took effect and is committed, or was refused. Rejects only for faults of
   * the agent or its store.
   */
  handle(request: SessionRequest, caller: Caller): Promise<SessionReply>;
  /** Stops without ending anything: the next agent of the session continues from its journal. */
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
}

/** Options for opening the agent of a session. */
export interface OpenAgentOptions {
  readonly contextId: string;
  readonly settings: SessionSettings;
  readonly ledger: AgentLedger;
  /** Journal of the session; empty for a new one. */
  readonly journal: readonly JsonObject[];
  /** Reason why the session stopped before; absent after a restart of the process. */
  readonly interruption?: string;
  /** True until a credential ends; a mode that it set lasts as long. */
  isCredentialAlive(credential: string): boolean;
  /** Task of a live session, which stays in `input-required` between its turns. */
  readonly openTaskId?: string;
}

/** Opens the agent of a session, new or restored. */
export type OpenAgent = (options: OpenAgentOptions) => Promise<AgentPort>;
