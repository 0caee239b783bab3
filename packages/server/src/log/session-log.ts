import type { StampedEvent, TaskView } from "@dt/schema";
import { type Clock, systemClock } from "../clock.js";
import type { LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { type AttachedPushes, createAttachedPushes } from "./attached-pushes.js";
import { type CursorCodec, createCursorCodec } from "./cursor.js";
import { createLiveOutput, type LiveEntry } from "./live-output.js";
import type { LoggedEvent } from "./logged-event.js";
import { createStoredLog, PAGE_EVENTS } from "./stored-log.js";
import { createSubscribers, type Subscribers } from "./subscribers/subscribers.js";
import { createTail } from "./tail.js";
import { createTaskActivity, type PendingTasks } from "./task-activity.js";
import { createTaskViews } from "./views/task-views.js";

export type { MessageKey } from "./attached-pushes.js";
export type { LoggedEvent } from "./logged-event.js";

/** The log of one session, for readers. Reading needs no agent and no lease. */
export interface SessionLog {
  readonly contextId: string;
  readonly cursors: CursorCodec;
  /** Position of the last committed event. */
  readonly lastPosition: number;
  /** Increases with every commit and every live output. */
  readonly version: number;
  /** True if a turn runs: a task is submitted or working, and none waits for an answer. */
  readonly isBusy: boolean;
  /** True if no task is submitted or working, and none waits for an answer. */
  readonly isIdle: boolean;
  /** True if the log is closed: nothing will be added, and subscribers must open the session again. */
  readonly isClosed: boolean;
  /** Subscribers are notified whenever the version increases or the log is closed. */
  readonly subscribers: Subscribers;
  /** Committed events after a position, oldest first, at most a page of them. */
  read(after: number): Promise<readonly LoggedEvent[]>;
  /** Finds the position of a client's cursor; throws `cursor-not-found` if its event is not in the log. */
  locate(cursor: string): Promise<number>;
  /** The cursor of a position in the log. */
  cursorAt(position: number): Promise<string>;
  /** The newest live output of each open call, by the call's id. */
  readonly live: ReadonlyMap<string, LiveEntry>;
  /** A task, folded from its events. */
  view(taskId: string): Promise<TaskView>;
  /** A task as it was at a position. */
  viewAt(taskId: string, position: number): Promise<TaskView>;
  /** Push configs that become durable with the message that they came with. */
  readonly pushes: AttachedPushes;
  /** Dialects of tasks that are being created, by task; each becomes durable with its task's first commit. */
  readonly newDialects: Map<string, string>;
}

/** The log of one session, for its owner. */
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
  /** Called when the session becomes busy or idle. */
  onBusyChange?(isBusy: boolean): void;
}

/** Opens the log of one session. */
export function openSessionLog(options: SessionLogOptions): WritableLog {
  const { session, store, clock = systemClock, onBusyChange = () => {} } = options;
  const { contextId } = session;
  const stored = createStoredLog({ session, store, clock });
  const tail = createTail();
  const views = createTaskViews(contextId, stored.saveView);
  const live = createLiveOutput(contextId);
  const activity = createTaskActivity(options.pending ?? { unfinished: [], asking: [] });
  const subscribers = createSubscribers({
    ...clock,
    lastPosition: () => lastPosition,
    onRemoved: clearIfUnused,
  });
  let { lastPosition } = options;
  let version = 0;
  let isClosed = false;

  function publish(logged: LoggedEvent): void {
    const { event, position } = logged;
    lastPosition = position;
    // A new task has no earlier events to read, because a task is submitted only once.
    if (event.state === "submitted" && !activity.isUnfinished(event.taskId)) {
      views.track(event.taskId);
    }
    views.add(logged);
    live.advance(event);
    activity.advance(event);
    tail.push(logged);
  }

  function notify(): void {
    version += 1;
    subscribers.notify();
  }

  // Frees the tail when nobody reads it and no turn runs. Later readers use the store.
  function clearIfUnused(): void {
    if (subscribers.size === 0 && !activity.isBusy) tail.clear();
  }

  return {
    contextId,
    cursors: createCursorCodec(session),
    live: live.newest,
    pushes: createAttachedPushes(),
    newDialects: new Map(),
    subscribers,
    get lastPosition() {
      return lastPosition;
    },
    get version() {
      return version;
    },
    get isBusy() {
      return activity.isBusy;
    },
    get isIdle() {
      return activity.isIdle;
    },
    get isClosed() {
      return isClosed;
    },
    announce(events) {
      if (events.length === 0 || isClosed) return;
      const wasBusy = activity.isBusy;
      for (const logEvent of events) publish(stored.toLogged(logEvent));
      notify();
      if (activity.isBusy !== wasBusy) onBusyChange(!wasBusy);
      clearIfUnused();
    },
    publishLive(event) {
      if (event.kind !== "TOOL_CALL_UPDATE" || isClosed) return;
      live.set(event, { position: lastPosition, version: version + 1 });
      notify();
    },
    async read(after) {
      if (after >= lastPosition) return [];
      return tail.read(after, PAGE_EVENTS) ?? (await stored.readPage(after));
    },
    locate: (cursor) => stored.locate(cursor, lastPosition),
    cursorAt: stored.cursorAt,
    viewAt: stored.viewAt,
    async view(taskId) {
      return live.addTo(await views.get(taskId, { ...stored, lastPosition: () => lastPosition }));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      tail.clear();
      notify();
    },
  };
}
