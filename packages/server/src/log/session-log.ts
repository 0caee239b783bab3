import type { SessionReply, StampedEvent, StateTransition, TaskView, Ticket } from "@dt/schema";
import { type Clock, systemClock } from "../clock.js";
import type { PushRecord } from "../store/push-record.js";
import type { LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { type Attachments, createAttachments } from "./attachments.js";
import type { CursorCodec } from "./cursor.js";
import { createLiveOutput, type LiveEntry, type LiveOutput } from "./live-output.js";
import type { LoggedEvent } from "./logged-event.js";
import { createStoredLog, PAGE_EVENTS, type StoredLog } from "./stored-log.js";
import {
  createSubscribers,
  type NotifiedSubscribers,
  type Subscribers,
} from "./subscribers/subscribers.js";
import { createTail } from "./tail.js";
import { createTaskActivity, type PendingTasks, type TaskActivity } from "./task-activity.js";
import { createTaskViews, type TaskViews } from "./views/task-views.js";

export type { MessageKey } from "./attachments.js";
export type { LoggedEvent } from "./logged-event.js";

/** The reply to a request from another instance. The commit that accepts the request's message stores the reply too. */
export interface AttachedReply {
  readonly requestId: string;
  /** Returns the reply that says that the message was accepted. */
  toReply(ticket: Ticket): SessionReply;
}

/** The log of one session, as subscribers read it. Reading needs no agent and no lease. */
export interface SessionLog {
  readonly contextId: string;
  readonly cursors: CursorCodec;
  /** Position of the last committed event. */
  readonly lastPosition: number;
  /** Increases with every commit of events, with every live output, and when the log is closed. */
  readonly version: number;
  /** True if a turn runs: a task is submitted or working, and no task waits for an answer. */
  readonly isBusy: boolean;
  /** True if no task is submitted, working or waiting for an answer. */
  readonly isIdle: boolean;
  /** True if the log gets no further events. To get later events, subscribers must open the session again. */
  readonly isClosed: boolean;
  /** Subscribers are notified whenever the version increases. */
  readonly subscribers: Subscribers;
  /** Reads a page of committed events after a position, oldest first. */
  read(after: number): Promise<readonly LoggedEvent[]>;
  /** Finds the position of a client's cursor; throws `cursor-not-found` if its event is not in the log. */
  locate(cursor: string): Promise<number>;
  /** Returns the cursor of a position in the log. */
  cursorAt(position: number): Promise<string>;
  /** The newest live output of each open call, by the call's id. */
  readonly live: ReadonlyMap<string, LiveEntry>;
  /** Returns the view of a task, with its live output. */
  view(taskId: string): Promise<TaskView>;
  /** Returns the changes of a task's state, oldest first. */
  transitions(taskId: string): Promise<readonly StateTransition[]>;
  /** Returns the view of a task as it was at a position. */
  viewAt(taskId: string, position: number): Promise<TaskView>;
  /** Push configs of messages that are not committed yet. */
  readonly pushes: Attachments<PushRecord>;
  /** Replies to requests from other instances whose messages are not committed yet. */
  readonly replies: Attachments<AttachedReply>;
  /** Dialects of tasks that are not stored yet, by task id. Each is stored with the first commit of its task. */
  readonly newDialects: Map<string, string>;
}

/** The log of one session, as its owner or its follower extends it. */
export interface WritableLog extends SessionLog {
  /** Shows committed events to subscribers. */
  announce(events: readonly LogEvent[]): void;
  /** Shows live output, which is not logged. */
  publishLive(event: StampedEvent): void;
  close(): void;
}

/** Options of {@link openSessionLog}. */
export interface SessionLogOptions {
  readonly session: SessionRecord;
  /** Position of the last event in the store; 0 for a session that is not stored yet. */
  readonly lastPosition: number;
  /** Tasks that have work to do or wait for an answer. Default: none. */
  readonly pending?: PendingTasks;
  readonly store: Pick<SessionStore, "readEvents" | "findView" | "saveView">;
  readonly clock?: Pick<Clock, "elapsedMs">;
  /** Called when `isBusy` changes. */
  onBusyChange?(isBusy: boolean): void;
}

/** Opens the log of one session. */
export function openSessionLog(options: SessionLogOptions): WritableLog {
  return new OpenSessionLog(options);
}

/** This is a class, because closures would cost each session some kilobytes of memory. */
class OpenSessionLog implements WritableLog {
  readonly contextId: string;
  readonly cursors: CursorCodec;
  readonly pushes = createAttachments<PushRecord>();
  readonly replies = createAttachments<AttachedReply>();
  readonly newDialects = new Map<string, string>();
  readonly subscribers: NotifiedSubscribers;
  lastPosition: number;
  version = 0;
  isClosed = false;
  private readonly stored: StoredLog;
  private readonly tail = createTail();
  private readonly views: TaskViews;
  private readonly liveOutput: LiveOutput;
  private readonly activity: TaskActivity;
  private readonly onBusyChange: SessionLogOptions["onBusyChange"];

  constructor(options: SessionLogOptions) {
    const { session, store, clock = systemClock } = options;
    const lastPosition = () => this.lastPosition;
    this.contextId = session.contextId;
    this.lastPosition = options.lastPosition;
    this.stored = createStoredLog({ session, store, clock, lastPosition });
    this.cursors = this.stored.cursors;
    this.views = createTaskViews(session.contextId, this.stored);
    this.liveOutput = createLiveOutput(session.contextId);
    this.activity = createTaskActivity(options.pending ?? { unfinished: [], asking: [] });
    this.onBusyChange = options.onBusyChange;
    this.subscribers = createSubscribers({
      elapsedMs: clock.elapsedMs,
      lastPosition,
      onRemoved: () => this.clearIfUnused(),
    });
  }

  get live(): ReadonlyMap<string, LiveEntry> {
    return this.liveOutput.newest;
  }

  get isBusy(): boolean {
    return this.activity.isBusy;
  }

  get isIdle(): boolean {
    return this.activity.isIdle;
  }

  announce(events: readonly LogEvent[]): void {
    if (events.length === 0 || this.isClosed) return;
    const wasBusy = this.isBusy;
    for (const logEvent of events) this.publish(this.stored.toLogged(logEvent));
    this.notify();
    if (this.isBusy !== wasBusy) this.onBusyChange?.(!wasBusy);
    this.clearIfUnused();
  }

  publishLive(event: StampedEvent): void {
    if (event.kind !== "TOOL_CALL_UPDATE" || this.isClosed) return;
    this.liveOutput.set(event, { position: this.lastPosition, version: this.version + 1 });
    this.notify();
  }

  async read(after: number): Promise<readonly LoggedEvent[]> {
    if (after >= this.lastPosition) return [];
    return this.tail.read(after, PAGE_EVENTS) ?? (await this.stored.readPage(after));
  }

  async locate(cursor: string): Promise<number> {
    return await this.stored.locate(cursor);
  }

  async cursorAt(position: number): Promise<string> {
    return await this.stored.cursorAt(position);
  }

  async view(taskId: string): Promise<TaskView> {
    return this.liveOutput.addTo(await this.views.get(taskId, this.stored));
  }

  async transitions(taskId: string): Promise<readonly StateTransition[]> {
    return await this.views.getTransitions(taskId, this.stored);
  }

  async viewAt(taskId: string, position: number): Promise<TaskView> {
    return await this.stored.viewAt(taskId, position);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.tail.clear();
    this.notify();
  }

  private publish(logged: LoggedEvent): void {
    const { event, position } = logged;
    this.lastPosition = position;
    // A task is `submitted` only at its start. So this event begins the view, and nothing has to be read from the
    // store.
    if (event.state === "submitted" && !this.activity.isUnfinished(event.taskId)) {
      this.views.track(event.taskId);
    }
    this.views.add(logged);
    this.liveOutput.advance(event);
    this.activity.advance(event);
    this.tail.push(logged);
  }

  private notify(): void {
    this.version += 1;
    this.subscribers.notify();
  }

  // Frees memory when nobody reads the log and no turn runs. Later readers use the store.
  private clearIfUnused(): void {
    if (this.subscribers.size > 0 || this.isBusy) return;
    this.tail.clear();
    this.views.dropShort();
  }
}
