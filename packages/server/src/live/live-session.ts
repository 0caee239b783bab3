import type { AgentDriver, SessionEvent, TaskView } from "@dt/schema";
import type { AgentServer, AgentServerOptions } from "../serving/agent-server-options.js";
import type { SessionRecord } from "../store/session-store.js";

/** How a live session is served to others: as every server, but for what the session itself decides. */
export type LiveServerOptions = Omit<
  AgentServerOptions,
  | "openAgent"
  | "store"
  | "defaultSettings"
  | "workspaceRoots"
  | "listCommands"
  | "sweepMs"
  | "metrics"
>;

/**
 * One session in this process, and its one task for everyone: what a terminal works on, and serves to
 * whoever joins. The terminal is an observer like any other: it prompts and answers through `agent` and
 * sees what came of it in `events`.
 */
export interface LiveSession {
  readonly contextId: string;
  /** The virtual task: it rests between turns and completes when the session is closed. */
  readonly taskId: string;
  /** Who owns it, where it works, when it began. */
  readonly session: SessionRecord;
  /** The agent; where its session had to be opened anew, the new one. */
  readonly agent: AgentDriver;
  /** The virtual task as it stands: the last items, open questions, waiting prompts. */
  view(): Promise<TaskView>;
  /**
   * Everything that happens in the session after a cursor (from the beginning without one), batch by
   * batch, live output included, until `signal` aborts or the session is closed. Pulls: whoever is
   * slow finds more in the next batch.
   */
  events(options: {
    readonly after?: string;
    readonly signal?: AbortSignal;
  }): AsyncIterable<readonly SessionEvent[]>;
  /** Committed events after a cursor, oldest first, at most `limit`: for a pager. */
  readEvents(options: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly SessionEvent[]>;
  /** Serves it to others; closing the server leaves the session as it is. */
  serve(options?: LiveServerOptions): Promise<AgentServer>;
  /**
   * Ends it: the running turn is cancelled, the virtual task completes, and subscribers are notified. An
   * open question stays open until the session is resumed. A session that nobody ever prompted is
   * forgotten. The store stays open.
   */
  close(): Promise<void>;
}
