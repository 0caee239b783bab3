import type { AgentLedger } from "@dt/schema";
import {
  type AgentEvent,
  isTerminalStatus,
  type LedgerEntry,
  ProtocolError,
  reduceTaskView,
  type StampedEvent,
  type TaskView,
} from "@dt/schema";
import type { CommitLane } from "../store/group-commit.js";
import type { PushRecord } from "../store/push-record.js";
import type { Commit, LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { StoreFault } from "../store/store-fault.js";
import { type CursorCodec, createCursorCodec } from "./cursor.js";
import { decodeKeptView, encodeKeptView } from "./kept-view.js";
import { EncodedTexts, type LoggedEvent, toLoggedEvent } from "./logged-event.js";
import { readTaskView } from "./read-task-view.js";
import { createTail } from "./tail.js";
import { takeBreath } from "./take-breath.js";
import { createTaskViews, type StoredEvents } from "./task-views.js";
import { createVisitors, type Visitor, type Visitors } from "./visitors.js";

export type { LoggedEvent } from "./logged-event.js";

/** What is known of an observer: how far it has read, and whose it is. */
export interface ObserverInfo {
  readonly place?: () => number;
  readonly who?: Visitor | undefined;
}

/** One session's log: one writer, any number of readers who pull. */
export interface SessionLog extends AgentLedger {
  readonly contextId: string;
  readonly cursors: CursorCodec;
  /** The place of the last committed event. */
  readonly lastSeq: number;
  /** Grows with every commit and every piece of live output. */
  readonly version: number;
  /** Whether a turn works: a task is submitted or working, and does not only wait behind a question. */
  readonly isBusy: boolean;
  /** Whether no task is submitted or working, and none asks. */
  readonly isResting: boolean;
  /** Whether it has ended: nothing will be added, and who follows it must open the session anew. */
  readonly isClosed: boolean;
  readonly observers: number;
  /** How many clients there are: who observes, and who was seen lately. */
  readonly clients: number;
  /** Takes note of someone who asks about the session. */
  see(visitor: Visitor): void;
  /** Committed events after a place, oldest first, at most a page of them. */
  read(after: number): Promise<readonly LoggedEvent[]>;
  /** The newest live output of each open call, with a number that grows with every change. */
  readonly live: ReadonlyMap<string, { readonly version: number; readonly logged: LoggedEvent }>;
  /** Calls back whenever the version grows or the log ends; returns how to stop that. */
  observe(callback: () => void, info?: ObserverInfo): () => void;
  /** How many events the observer that lags most has not read. */
  readonly lag: number;
  /** A task, folded from its events. */
  view(taskId: string): Promise<TaskView>;
  /** A task as it stood at a place. */
  viewAt(taskId: string, place: number): Promise<TaskView>;
  /**
   * Lets a push config become durable with the message that it came with: it is part of the commit
   * that takes the message, and begins with that commit's events. Returns how to stop waiting for
   * that; it says whether the message was taken.
   */
  attachPush(message: MessageKey, push: PushRecord): () => boolean;
  close(): void;
}

/** A message, as its receipt will name it. */
export interface MessageKey {
  readonly user: string;
  readonly messageId: string;
}

/** How many events a reader gets at a time. */
const PAGE = 256;
/** About how much of them: what a reader that stalls holds. */
const PAGE_BYTES = 256 * 1024;

/** What a log stands on. */
export interface SessionLogOptions {
  readonly session: SessionRecord;
  /** The place of the last event in the store; 0 and `isNew` for a session that is not there yet. */
  readonly lastSeq: number;
  readonly isNew: boolean;
  /** The tasks that are submitted or working. */
  readonly unfinished: readonly string[];
  /** The tasks that wait for an answer. Default: none. */
  readonly asking?: readonly string[];
  readonly store: Pick<SessionStore, "readEvents" | "findView" | "saveView">;
  readonly lane: CommitLane;
  /** Told when turns begin to work, and when none does any more. */
  onBusyChange?(isBusy: boolean): void;
  /** Told of events when they are committed, before anyone sees them. */
  onCommitted?(events: readonly LogEvent[]): void;
  /** Told of every commit, once it is durable and announced. */
  onAnnounced?(commit: Commit): void;
  /** Told once when a commit failed: the log has ended, and what the agent knows is not committed. */
  onFailure?(reason: unknown): void;
}

/** Opens the log of one session. */
export function openSessionLog(options: SessionLogOptions): SessionLog {
  const { session, store, lane, onBusyChange = () => {}, onFailure = () => {} } = options;
  const { onCommitted = () => {}, onAnnounced = () => {} } = options;
  const { contextId } = session;
  const cursors = createCursorCodec(session);
  const tail = createTail();
  const views = createTaskViews(contextId, (placed) => {
    const kept = encodeKeptView(placed);
    // Lost, it is folded anew; whoever commits hears of a store that fails.
    store.saveView(kept).catch(() => {});
    return kept.json.length;
  });
  const live = new Map<string, { version: number; logged: LoggedEvent }>();
  const unfinished = new Set(options.unfinished);
  const asking = new Set(options.asking);
  const observers = new Map<() => void, ObserverInfo>();
  // Made for the first one: of many sessions hardly any is asked about.
  let visitors: Visitors | undefined;
  // Made for the first one, as visitors are: a session that rests is hardly more than what is made here.
  let attached: Map<string, PushRecord> | undefined;
  let { isNew, lastSeq } = options;
  let assignedSeq = lastSeq;
  let version = 0;
  let isClosed = false;

  const toLogged = (logEvent: LogEvent): LoggedEvent =>
    toLoggedEvent(logEvent, { contextId, cursor: cursors.encode(logEvent.seq) });

  function storedEvents(): StoredEvents {
    return {
      pageSize: PAGE,
      lastSeq: () => lastSeq,
      findView: async (taskId) => decodeKeptView(await store.findView(taskId)),
      async read(taskId, after) {
        const page = await store.readEvents({ contextId, taskId, after, limit: PAGE });
        return page.map(toLogged);
      },
    };
  }

  function publish(logged: LoggedEvent): void {
    const { event, seq } = logged;
    lastSeq = seq;
    // A task whose first event this is needs no reading back: none is ever submitted again.
    if (event.state === "submitted" && !unfinished.has(event.taskId)) views.begin(event.taskId);
    views.take(logged);
    if (event.kind === "TOOL_CALL_UPDATE" && isTerminalStatus(event.toolCall.status)) {
      live.delete(event.toolCall.toolCallId);
    }
    if (event.state === "submitted" || event.state === "working") unfinished.add(event.taskId);
    else unfinished.delete(event.taskId);
    if (isAsking(event)) asking.add(event.taskId);
    else if (event.kind === "STATE_CHANGE" || event.state !== "input-required") {
      asking.delete(event.taskId);
    }
    tail.push(logged);
  }

  // Turns come one by one: while one waits for an answer, the others wait behind it.
  function isBusy(): boolean {
    return unfinished.size > 0 && asking.size === 0;
  }

  function notify(): void {
    version += 1;
    for (const callback of observers.keys()) callback();
  }

  // Nobody reads it and nothing is added: who comes later reads the store.
  function rest(): void {
    if (observers.size === 0 && !isBusy()) tail.clear();
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    tail.clear();
    notify();
  }

  function append(entry: LedgerEntry): Promise<number> {
    if (isClosed) {
      const message = "the session is closing; send it again";
      return Promise.reject(new ProtocolError("agent-busy", message));
    }
    const after = assignedSeq;
    assignedSeq += entry.events.length;
    const events = entry.events.map((event, index) => ({ seq: after + index + 1, event }));
    const push = entry.receipt && takeAttached(entry.receipt, after);
    const commit: Commit = {
      contextId,
      events,
      journal: entry.journal ?? [],
      isCritical: entry.isCritical ?? false,
      ...(isNew && { session }),
      ...(entry.receipt !== undefined && {
        receipt: { ...entry.receipt, contextId, afterPosition: after },
      }),
      ...(push !== undefined && { push }),
    };
    isNew = false;
    return new Promise((resolve, reject) => {
      lane.add(commit, {
        onCommitted() {
          announce(events);
          onAnnounced(commit);
          resolve(after);
        },
        onRefused(reason) {
          fail(reason);
          reject(notStored(reason));
        },
      });
    });
  }

  function takeAttached(receipt: MessageKey, after: number): PushRecord | undefined {
    const key = keyOf(receipt);
    const push = attached?.get(key);
    attached?.delete(key);
    return push && { ...push, progress: { ...push.progress, after } };
  }

  function announce(events: readonly LogEvent[]): void {
    if (events.length === 0 || isClosed) return;
    onCommitted(events);
    const wasBusy = isBusy();
    for (const logEvent of events) publish(toLogged(logEvent));
    notify();
    if (isBusy() !== wasBusy) onBusyChange(!wasBusy);
    rest();
  }

  function fail(reason: unknown): void {
    if (isClosed) return;
    close();
    onFailure(reason);
  }

  return {
    contextId,
    cursors,
    live,
    append,
    close,
    get lastSeq() {
      return lastSeq;
    },
    get version() {
      return version;
    },
    get isBusy() {
      return isBusy();
    },
    get isResting() {
      return unfinished.size === 0 && asking.size === 0;
    },
    get isClosed() {
      return isClosed;
    },
    get observers() {
      return observers.size;
    },
    get clients() {
      visitors ??= createVisitors();
      return visitors.count([...observers.values()].map(({ who }) => who));
    },
    see(visitor) {
      visitors ??= createVisitors();
      visitors.see(visitor);
    },
    publishLive(event: StampedEvent) {
      if (event.kind !== "TOOL_CALL_UPDATE" || isClosed) return;
      const { turn, ...rest } = event;
      const logged = {
        seq: lastSeq,
        turn,
        event: { ...rest, contextId },
        encoded: new EncodedTexts(),
      };
      live.set(event.toolCall.toolCallId, { version: version + 1, logged });
      notify();
    },
    async read(after) {
      if (after >= lastSeq) return [];
      const events = tail.read(after, PAGE);
      if (events !== undefined) return events;
      await takeBreath();
      const page = await store.readEvents({ contextId, after, limit: PAGE, maxBytes: PAGE_BYTES });
      return page.map(toLogged);
    },
    get lag() {
      const places = [...observers.values()].flatMap(({ place }) => place?.() ?? []);
      return places.reduce((most, place) => Math.max(most, lastSeq - place), 0);
    },
    observe(callback, info = {}) {
      // Its own function, so that whoever observes twice is counted twice.
      const observer = () => callback();
      observers.set(observer, info);
      return () => {
        observers.delete(observer);
        rest();
      };
    },
    attachPush(message, push) {
      const key = keyOf(message);
      const pushes = attached ?? new Map<string, PushRecord>();
      attached = pushes;
      pushes.set(key, push);
      return () => {
        const isTaken = pushes.get(key) !== push;
        if (!isTaken) pushes.delete(key);
        return isTaken;
      };
    },
    viewAt: (taskId, upTo) =>
      readTaskView(store, { taskId, contextId, sessionCreatedAt: session.createdAt, upTo }),
    async view(taskId) {
      const folded = await views.get(taskId, storedEvents());
      // Live output is no part of the log, but of what an observer should see now.
      const shown = [...live.values()].filter(({ logged }) => logged.event.taskId === taskId);
      return shown.reduce((view, { logged }) => reduceTaskView(view, logged.event), folded);
    },
  };
}

function keyOf({ user, messageId }: MessageKey): string {
  return JSON.stringify([user, messageId]);
}

/** Whether an event asks: its task waits for an answer from then on. */
function isAsking(event: AgentEvent): boolean {
  return event.kind === "STATE_CHANGE" && (event.waiting ?? []).length > 0;
}

function notStored(cause: unknown): ProtocolError {
  if (cause instanceof StoreFault) return cause;
  const message = "it could not be stored, and nothing of it has happened";
  return new ProtocolError("internal", message, { cause });
}
