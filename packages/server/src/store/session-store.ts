import type {
  EventKind,
  JsonObject,
  Receipt,
  SessionSettings,
  StampedEvent,
  TaskState,
  Ticket,
} from "@dt/schema";
import type { AuditStore } from "./audit-store.js";
import type { BudgetStore } from "./budgets/budget-store.js";
import type { Commit, CommitOutcomes } from "./commit.js";
import type { GrantStore } from "./grant-store.js";
import type { InstanceStore } from "./instances/instance-store.js";
import type { AcquireOptions, Lease } from "./lease.js";
import type { PushStore } from "./push-store.js";
import type { StoredTaskPage, TaskQuery } from "./task-page.js";
import type { TokenStore } from "./token-store.js";

/** An event in a session's log. Positions count from 1 and have no gaps. */
export interface LogEvent {
  readonly position: number;
  /** Epoch of the lease under which the event was written; 0 if an older dt without leases wrote it. */
  readonly epoch: number;
  readonly event: StampedEvent;
}

/** A session as it was created. */
export interface SessionRecord {
  readonly contextId: string;
  /** The user that owns the session. Other users cannot find it. */
  readonly owner: string;
  readonly settings: SessionSettings;
  readonly createdAt: string;
}

/** A session in a store. */
export interface StoredSession extends SessionRecord {
  /** Position of its last event. */
  readonly lastPosition: number;
  /** Epoch of its last lease; 0 if it never had one. */
  readonly epoch: number;
  /** Number of its last commit. */
  readonly commitNumber: number;
  /** Time of the latest event, or of the creation. The time never decreases. */
  readonly lastActiveAt: string;
  /** Beginning of its last prompt; absent if it was never prompted. */
  readonly lastPrompt?: string;
}

/** A query for sessions. */
export interface SessionQuery {
  readonly owner: string;
  /** Only sessions with this workspace. */
  readonly workspacePath?: string;
  readonly limit: number;
}

/** A task in a store. */
export interface TaskRecord {
  readonly taskId: string;
  readonly contextId: string;
  /** Time at which its session was created. */
  readonly sessionCreatedAt: string;
  readonly owner: string;
  readonly state: TaskState;
  readonly lastPosition: number;
  /** Epoch of its last event. */
  readonly epoch: number;
  /** Time of its last event. */
  readonly updatedAt: string;
  /** Name of the dialect in which the task was created; absent for A2A. */
  readonly dialect?: string;
}

/** The receipt of a message: the task and turn that it belongs to. */
export interface StoredReceipt extends Receipt, Ticket {
  readonly contextId: string;
}

/** A query for events. */
export interface EventQuery {
  readonly contextId: string;
  readonly after: number;
  readonly limit: number;
  readonly taskId?: string;
  /** Approximate size at which the result ends, after at least one event. Drivers may ignore it. */
  readonly maxBytes?: number;
  /** Only events of these kinds, up to a position. The query must have a `taskId`. */
  readonly kinds?: { readonly only: readonly EventKind[]; readonly upTo: number };
}

/** The saved view of a task. Later events are folded into the view, so that earlier events do not have to be read. */
export interface StoredView {
  readonly taskId: string;
  readonly contextId: string;
  /** Position of the last event in the view. */
  readonly position: number;
  /** The view as JSON. */
  readonly json: string;
}

/** The condition of a store that accepts commits. */
export interface StoreCondition {
  /** Ids of sessions with a damaged row. These sessions are closed, and all others stay open. */
  readonly damagedSessions: readonly string[];
}

/** Numbers of tasks. */
export interface TaskCounts {
  /** Number of tasks that are submitted or working. */
  readonly active: number;
  readonly total: number;
}

/**
 * Stores sessions. Every driver passes the contract in `@dt/server/testing`.
 *
 * A commit that rejects has changed nothing. After `close`, every method rejects.
 */
export interface SessionStore extends PushStore, TokenStore, BudgetStore, GrantStore, AuditStore {
  /** Functions for the instances that share this store. Absent if only one process at a time serves the sessions. */
  readonly instances?: InstanceStore;
  /** Rejects if a commit would fail now, for example because the store is damaged or the disk is full. */
  check(): Promise<StoreCondition>;
  /**
   * Makes a group of commits durable in one transaction. Returns one outcome for each session. If the lease
   * of a session was lost, its commits are not stored. A commit that is sent again has the outcome `stored`.
   */
  commit(commits: readonly Commit[]): Promise<CommitOutcomes>;
  findSession(contextId: string): Promise<StoredSession | undefined>;
  /**
   * Acquires the lease of a session. The session does not have to be stored yet. The lease ends when it is released or
   * lost, or with the process. Throws `SetupError` if another holder has the lease and `takesOver` is not set.
   */
  acquire(contextId: string, options?: AcquireOptions): Promise<Lease>;
  /** Lists an owner's sessions that got at least one prompt, the latest use first. */
  listSessions(query: SessionQuery): Promise<readonly StoredSession[]>;
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  /** Lists the tasks of an owner, the latest change first. */
  listTasks(query: TaskQuery): Promise<StoredTaskPage>;
  /** Counts the tasks of an owner, or of all owners. */
  countTasks(owner?: string): Promise<TaskCounts>;
  findReceipt(user: string, messageId: string): Promise<StoredReceipt | undefined>;
  /** Reads events of a session, or of one task, after a position, oldest first. */
  readEvents(query: EventQuery): Promise<readonly LogEvent[]>;
  /** Finds the last saved view of a task. */
  findView(taskId: string): Promise<StoredView | undefined>;
  /** Replaces the saved view of a task. A store may lose views, because they can be folded from the events. */
  saveView(view: StoredView): Promise<void>;
  readJournal(contextId: string): Promise<readonly JsonObject[]>;
  /**
   * Lists the sessions in which a task is submitted or working. A server that starts ends these tasks. A
   * store with instances leaves out sessions that another live instance holds, and sessions of other pools.
   */
  listUnfinished(): Promise<readonly string[]>;
  /**
   * Lists the sessions without events since a moment (ISO 8601) and without submitted or working tasks.
   * Leaves out the same sessions as `listUnfinished`.
   */
  listUntouched(since: string): Promise<readonly string[]>;
  /**
   * Gives the sessions of a user, with their tasks, to another user, and returns the number of sessions. Receipts stay
   * with the user who sent the messages, and grants stay valid. No process may have any of these sessions open.
   */
  changeOwner(from: string, to: string): Promise<number>;
  /** Deletes a session with its views, events, journal, tasks, receipts, push configs and grants, if it exists. */
  deleteSession(contextId: string): Promise<void>;
  close(): Promise<void>;
}
