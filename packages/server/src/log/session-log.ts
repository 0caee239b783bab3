import { isTerminalStatus, reduceTaskView, type StampedEvent, type TaskView } from "@dt/schema";
import { type Clock, systemClock } from "../clock.js";
import type { LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { type AttachedPushes, createAttachedPushes } from "./attached-pushes.js";
import { type CursorCodec, createCursorCodec } from "./cursor.js";
import { EncodedTexts, type LoggedEvent } from "./logged-event.js";
import { createStoredLog, PAGE } from "./stored-log.js";
import { createSubscribers, type ObserverInfo } from "./subscribers/subscribers.js";
import { createTail } from "./tail.js";
import { createTaskActivity, type OpenTasks } from "./task-activity.js";
import { createTaskViews } from "./views/task-views.js";
import type { Visitor } from "./subscribers/recent-clients.js";

export type { MessageKey } from "./attached-pushes.js";
export type { LoggedEvent } from "./logged-event.js";

/** One session's log as it is read: positions, views and wake-ups. It needs no agent and no lease. */
export interface SessionLog {
  readonly contextId: string;
  readonly cursors: CursorCodec;
  /** Position of the last committed event. */
  readonly lastSeq: number;
  /** Grows with every commit and every piece of live output. */
  readonly version: number;
  /** True if a turn works: a task is submitted or working, and does not only wait behind a question. */
  readonly isBusy: boolean;
  /** True if no task is submitted or working, and none asks. */
  readonly isResting: boolean;
  /** True if the log has ended: nothing will be added, and subscribers must open the session again. */
  readonly isClosed: boolean;
  readonly observers: number;
  /** Number of clients: subscribers, and those that asked lately. */
  readonly clients: number;
  /** Notes that somebody asked about the session. */
  see(visitor: Visitor): void;
  /** Committed events after a position, oldest first, at most a page of them. */
  read(after: number): Promise<readonly LoggedEvent[]>;
  /** Finds the position of a client's cursor; throws `cursor-not-found` if its event is not in the log. */
  locate(cursor: string): Promise<number>;
  /** The cursor of a position in the log. */
  cursorAt(position: number): Promise<string>;
  /** The newest live output of each open call, with a number that grows with every change. */
  readonly live: ReadonlyMap<string, { readonly version: number; readonly logged: LoggedEvent }>;
  /** Calls back whenever the version grows or the log ends; returns a function that stops it. */
  observe(callback: () => void, info?: ObserverInfo): () => void;
  /** Number of events that the slowest subscriber has not read. */
  readonly lag: number;
  /** A task, folded from its events. */
  view(taskId: string): Promise<TaskView>;
  /** A task as it was at a position. */
  viewAt(taskId: string, position: number): Promise<TaskView>;
  /** Push configs that become durable with the message that they came with. */
  readonly pushes: AttachedPushes;
  /** Dialects of tasks that are being created, by task; each becomes durable with its task's first commit. */
  readonly newTasks: Map<string, string>;
}

/** The log for the one who feeds it: what was committed is announced here. */
export interface FedLog extends SessionLog {
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
  readonly lastSeq: number;
  /** Tasks that are open. Default: none. */
  readonly open?: OpenTasks;
  readonly store: Pick<SessionStore, "readEvents" | "findView" | "saveView">;
  readonly clock?: Pick<Clock, "elapsedMs">;
  /** Called when the session becomes busy or idle. */
  onBusyChange?(isBusy: boolean): void;
}

/** Opens the log of one session. */
export function openSessionLog(options: SessionLogOptions): FedLog {
  const { session, store, clock = systemClock, onBusyChange = () => {} } = options;
  const { contextId } = session;
  const stored = createStoredLog({ session, store, clock });
  const tail = createTail();
  const views = createTaskViews(contextId, stored.keepView);
  const live = new Map<string, { version: number; logged: LoggedEvent }>();
  const activity = createTaskActivity(options.open ?? { unfinished: [], asking: [] });
  const subscribers = createSubscribers(clock.elapsedMs, rest);
  let { lastSeq } = options;
  let version = 0;
  let isClosed = false;

  function publish(logged: LoggedEvent): void {
    const { event, seq } = logged;
    lastSeq = seq;
    // A new task needs no reading back: none is ever submitted again.
    if (event.state === "submitted" && !activity.isUnfinished(event.taskId)) {
      views.begin(event.taskId);
    }
    views.take(logged);
    if (event.kind === "TOOL_CALL_UPDATE" && isTerminalStatus(event.toolCall.status)) {
      live.delete(event.toolCall.toolCallId);
    }
    activity.advance(event);
    tail.push(logged);
  }

  function notify(): void {
    version += 1;
    subscribers.notify();
  }

  // If nobody reads it and nothing is added, later readers use the store.
  function rest(): void {
    if (subscribers.size === 0 && !activity.isBusy) tail.clear();
  }

  return {
    contextId,
    cursors: createCursorCodec(session),
    live,
    pushes: createAttachedPushes(),
    newTasks: new Map(),
    get lastSeq() {
      return lastSeq;
    },
    get version() {
      return version;
    },
    get isBusy() {
      return activity.isBusy;
    },
    get isResting() {
      return activity.isResting;
    },
    get isClosed() {
      return isClosed;
    },
    get observers() {
      return subscribers.size;
    },
    get clients() {
      return subscribers.countClients();
    },
    get lag() {
      return subscribers.lag(lastSeq);
    },
    see: subscribers.see,
    observe: (callback, info = {}) => subscribers.add(callback, info),
    announce(events) {
      if (events.length === 0 || isClosed) return;
      const wasBusy = activity.isBusy;
      for (const logEvent of events) publish(stored.toLogged(logEvent));
      notify();
      if (activity.isBusy !== wasBusy) onBusyChange(!wasBusy);
      rest();
    },
    publishLive(event) {
      if (event.kind !== "TOOL_CALL_UPDATE" || isClosed) return;
      const { turn, ...seen } = event;
      const encoded = new EncodedTexts();
      const logged = { seq: lastSeq, turn, event: { ...seen, contextId }, encoded };
      live.set(event.toolCall.toolCallId, { version: version + 1, logged });
      notify();
    },
    async read(after) {
      if (after >= lastSeq) return [];
      return tail.read(after, PAGE) ?? (await stored.readPage(after));
    },
    locate: (cursor) => stored.locate(cursor, lastSeq),
    cursorAt: stored.cursorAt,
    viewAt: stored.viewAt,
    async view(taskId) {
      const folded = await views.get(taskId, { ...stored, lastSeq: () => lastSeq });
      // Live output is not in the log, but is part of what a subscriber should see now.
      const shown = [...live.values()].filter(({ logged }) => logged.event.taskId === taskId);
      return shown.reduce((view, { logged }) => reduceTaskView(view, logged.event), folded);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      tail.clear();
      notify();
    },
  };
}
