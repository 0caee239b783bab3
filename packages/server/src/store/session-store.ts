import type {
  EventKind,
  JsonObject,
  Receipt,
  SessionSettings,
  StampedEvent,
  TaskState,
  Ticket,
} from "@dt/schema";
import type { Commit, CommitOutcomes } from "./commit.js";
import type { AcquireOptions, Lease } from "./lease.js";
import type { PushStore } from "./push-store.js";
import type { TaskPage, TaskQuery } from "./task-page.js";

/** An event in a session's log. Positions count from 1 and have no gaps. */
export interface LogEvent {
  readonly position: number;
  /** Epoch of the lease under which it was written; 0 in logs that are older than leases. */
  readonly epoch: number;
  readonly event: StampedEvent;
}

/** A session as it was created. */
export interface SessionRecord {
  readonly contextId: string;
  /** The principal that owns it; nobody else is told that it exists. */
  readonly owner: string;
  readonly settings: SessionSettings;
  readonly createdAt: string;
}

/** A session as a store finds it. */
export interface StoredSession extends SessionRecord {
  /** Position of its last event. */
  readonly lastPosition: number;
  /** Epoch of its last lease; 0 if it never had one. */
  readonly epoch: number;
  /** Number of its last commit. */
  readonly commitNumber: number;
  /** The latest time of its events, or of its creation; it never goes back. */
  readonly lastActiveAt: string;
  /** The beginning of its last prompt's text; absent as long as nobody has prompted it. */
  readonly lastPrompt?: string;
}

/** Which sessions to list. */
export interface SessionQuery {
  readonly owner: string;
  /** Only sessions that work in this directory. */
  readonly workspacePath?: string;
  readonly limit: number;
}

/** A task as a store finds it. */
export interface TaskRecord {
  readonly taskId: string;
  readonly contextId: string;
  /** When its session was created. */
  readonly sessionCreatedAt: string;
  readonly owner: string;
  readonly state: TaskState;
  readonly lastPosition: number;
  /** Epoch of its last event. */
  readonly epoch: number;
  /** When its last event happened. */
  readonly updatedAt: string;
  /** Name of the dialect in which it was created; absent if that is A2A. */
  readonly dialect?: string;
}

/** Where a message went that was taken before. */
export interface StoredReceipt extends Receipt, Ticket {
  readonly contextId: string;
}

/** Which events to read. */
export interface EventQuery {
  readonly contextId: string;
  readonly after: number;
  readonly limit: number;
  readonly taskId?: string;
  /** About how much of them at the most, but one event at least; only where no task is named. */
  readonly maxBytes?: number;
  /** Of these kinds alone, and none beyond a place; only where a task is named. */
  readonly kinds?: { readonly only: readonly EventKind[]; readonly upTo: number };
}

/** A task as it stood at a place, so that it need not be folded from its beginning. */
export interface StoredView {
  readonly taskId: string;
  readonly contextId: string;
  /** The last place that is folded in. */
  readonly position: number;
  /** The view as JSON. */
  readonly json: string;
}

/** What is known of a store that takes commits. */
export interface StoreCondition {
  /** Sessions in which a damaged row was found: they are closed, and the others go on. */
  readonly damagedSessions: readonly string[];
}

/** How many tasks there are. */
export interface TaskCounts {
  /** Those that are submitted or working. */
  readonly active: number;
  readonly total: number;
}

/**
 * Where sessions are kept. Every driver passes the contract in store-contract.ts.
 *
 * A commit that rejects has changed nothing. After close() everything rejects.
 */
export interface SessionStore extends PushStore {
  /** Rejects if a commit would fail now: the store is damaged or gone, or the disk is full. */
  check(): Promise<StoreCondition>;
  /**
   * Makes commits durable, in order, all at once, and returns one outcome for each session. The part of a
   * session that is lost is left out. A repeated commit number is answered as stored, and is written once.
   */
  commit(commits: readonly Commit[]): Promise<CommitOutcomes>;
  findSession(contextId: string): Promise<StoredSession | undefined>;
  /**
   * Acquires a session, stored or not, until the lease is released or lost, or this process ends. Throws
   * {@link SetupError} if another holder has it.
   */
  acquire(contextId: string, options?: AcquireOptions): Promise<Lease>;
  /** An owner's sessions that were ever prompted, the one used last first. */
  listSessions(query: SessionQuery): Promise<readonly StoredSession[]>;
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  /** An owner's tasks, the one that changed last first. */
  listTasks(query: TaskQuery): Promise<TaskPage>;
  /** Of one owner if it is named. */
  countTasks(owner?: string): Promise<TaskCounts>;
  findReceipt(user: string, messageId: string): Promise<StoredReceipt | undefined>;
  /** The events of a session after a place, oldest first, of one task if it is named. */
  readEvents(query: EventQuery): Promise<readonly LogEvent[]>;
  /** The view of a task that was kept last. */
  findView(taskId: string): Promise<StoredView | undefined>;
  /** Keeps a view in place of the one before. It may get lost: the events are the truth. */
  saveView(view: StoredView): Promise<void>;
  readJournal(contextId: string): Promise<readonly JsonObject[]>;
  /** The sessions in which a task is submitted or working: those a restart interrupted. */
  listUnfinished(): Promise<readonly string[]>;
  /** The sessions in which nothing has happened since a moment (ISO 8601) and nothing runs. */
  listUntouched(since: string): Promise<readonly string[]>;
  /** Forgets a session: its views, events, journal, tasks, receipts and push configs, if it is there. */
  deleteSession(contextId: string): Promise<void>;
  close(): Promise<void>;
}
