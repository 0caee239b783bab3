import type { AgentDriver, SessionEvent, TaskView } from "@dt/schema";
import type { AgentServer, AgentServerOptions } from "../serving/agent-server-options.js";
import type { SessionRecord } from "../store/session-store.js";

/** Options of a server for a live session. The session provides the options that are left out here. */
export type LiveServerOptions = Omit<
  AgentServerOptions,
  | "openAgent"
  | "onEvent"
  | "store"
  | "defaultSettings"
  | "workspaceRoots"
  | "listCommands"
  | "sweepMs"
  | "metrics"
  | "secretKeys"
>;

/**
 * One session in this process with one task that all clients share. A terminal opens the session and may serve it
 * to others. The terminal is a client like any other: it sends requests to `agent` and reads `events`.
 */
export interface LiveSession {
  readonly contextId: string;
  /** The open task. It is `input-required` between turns, and completes when the session is closed. */
  readonly taskId: string;
  /** Owner, workspace and time of creation. */
  readonly session: SessionRecord;
  /** The agent. It stays usable if the session is opened again after a fault. */
  readonly agent: AgentDriver;
  /** Returns the open task with its last items, open questions and queued prompts. */
  view(): Promise<TaskView>;
  /**
   * Yields batches of the events after a cursor, with live output. Without a cursor, it yields all events. The batches
   * end when `signal` aborts or the session is closed. A slow reader gets larger batches.
   */
  events(options: {
    readonly after?: string;
    readonly signal?: AbortSignal;
  }): AsyncIterable<readonly SessionEvent[]>;
  /** Reads at most `limit` committed events after a cursor, oldest first. */
  readEvents(options: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly SessionEvent[]>;
  /** Serves the session to other clients. Closing the server does not close the session. */
  serve(options?: LiveServerOptions): Promise<AgentServer>;
  /**
   * Closes the session: cancels the running turn, completes the open task and notifies subscribers. If a
   * question is open, the turn and the task stay as they are, and the question can be answered after the
   * session is resumed. A session that was never prompted is deleted. The store stays open.
   */
  close(): Promise<void>;
}
