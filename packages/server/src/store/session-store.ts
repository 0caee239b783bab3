import type { AgentSettings, JsonObject, Receipt, StampedEvent, TaskState } from "@dt/schema";

/** An event in a session's log. Places count from 1 and have no gaps. */
export interface LogEvent {
  readonly seq: number;
  readonly event: StampedEvent;
}

/** A session as it was created. */
export interface SessionRecord {
  readonly contextId: string;
  /** The principal that owns it; nobody else is told that it exists. */
  readonly owner: string;
  readonly settings: AgentSettings;
  readonly createdAt: string;
}

/** A task as a store finds it. */
export interface TaskRecord {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: string;
  readonly state: TaskState;
  readonly lastSeq: number;
}

/** Where a message went that was taken before. */
export interface StoredReceipt extends Receipt {
  readonly contextId: string;
  /** The place before the first event that the message brought about. */
  readonly after: number;
}

/** One append of one session. A store makes all of it durable, or nothing. */
export interface Commit {
  readonly contextId: string;
  /** Set on the first commit of a session. */
  readonly session?: SessionRecord;
  readonly events: readonly LogEvent[];
  readonly journal: readonly JsonObject[];
  readonly receipt?: StoredReceipt;
  /** Whether it must survive the loss of power. */
  readonly isCritical: boolean;
}

/** Where sessions are kept. Every driver passes the contract in store-contract.ts. */
export interface SessionStore {
  /** Makes commits durable, in order, all at once. */
  commit(commits: readonly Commit[]): Promise<void>;
  findSession(
    contextId: string,
  ): Promise<(SessionRecord & { readonly lastSeq: number }) | undefined>;
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  findReceipt(principal: string, messageId: string): Promise<StoredReceipt | undefined>;
  /** The events of a session after a place, oldest first, of one task if it is named. */
  readEvents(query: EventQuery): Promise<readonly LogEvent[]>;
  readJournal(contextId: string): Promise<readonly JsonObject[]>;
  /** The sessions in which a task is submitted or working: those a restart interrupted. */
  listUnfinished(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Which events to read. */
export interface EventQuery {
  readonly contextId: string;
  readonly after: number;
  readonly limit: number;
  readonly taskId?: string;
}
