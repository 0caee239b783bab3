import {
  emptyTaskView,
  isTerminalStatus,
  type LedgerEntry,
  reduceTaskView,
  type SessionEvent,
  type StampedEvent,
  type TaskView,
} from "@dt/schema";
import type { AgentLedger } from "../agent-port.js";
import type { GroupCommit } from "../store/group-commit.js";
import type { LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { type CursorCodec, createCursorCodec } from "./cursor.js";

/** A committed event, with its place and with what a stream needs to send it. */
export interface LoggedEvent {
  readonly seq: number;
  readonly turn: number;
  readonly event: SessionEvent;
  /** Its bytes in each dialect that someone watched in, written once for all observers. */
  readonly encoded: Map<string, string>;
}

/** One session's log: one writer, any number of readers who pull. */
export interface SessionLog extends AgentLedger {
  readonly contextId: string;
  readonly cursors: CursorCodec;
  /** The place of the last committed event. */
  readonly lastSeq: number;
  /** Committed events after a place, oldest first, at most a page of them. */
  read(after: number): Promise<readonly LoggedEvent[]>;
  /** The newest live output of each open call, with a number that grows with every change. */
  readonly live: ReadonlyMap<string, { readonly version: number; readonly logged: LoggedEvent }>;
  /** Calls back once, at the next commit or live output; returns how to stop waiting. */
  onChange(callback: () => void): () => void;
  /** A task, folded from its events. */
  view(taskId: string): Promise<TaskView>;
}

/** How many events a reader gets at a time. */
const PAGE = 256;
/** How many of the last events stay in memory: enough for every reader that keeps up. */
const TAIL = 1024;

/** What a log stands on. */
export interface SessionLogOptions {
  readonly session: SessionRecord;
  /** The place of the last event in the store; 0 and `isNew` for a session that is not there yet. */
  readonly lastSeq: number;
  readonly isNew: boolean;
  readonly store: SessionStore;
  readonly commits: GroupCommit;
}

/** Opens the log of one session. */
export function openSessionLog(options: SessionLogOptions): SessionLog {
  const { session, store, commits } = options;
  const { contextId } = session;
  const cursors = createCursorCodec(contextId);
  const tail: LoggedEvent[] = [];
  const views = new Map<string, TaskView>();
  const live = new Map<string, { version: number; logged: LoggedEvent }>();
  let observers = new Set<() => void>();
  let isNew = options.isNew;
  let assignedSeq = options.lastSeq;
  let lastSeq = options.lastSeq;
  let liveVersion = 0;

  function toLogged({ seq, event: { turn, ...event } }: LogEvent): LoggedEvent {
    const cursor = cursors.encode(seq);
    return { seq, turn, event: { ...event, contextId, cursor }, encoded: new Map() };
  }

  function publish(logged: LoggedEvent): void {
    const { event, seq } = logged;
    tail.push(logged);
    lastSeq = seq;
    const view = views.get(event.taskId);
    if (view !== undefined) views.set(event.taskId, reduceTaskView(view, event));
    if (event.kind === "TOOL_CALL_UPDATE" && isTerminalStatus(event.toolCall.status)) {
      live.delete(event.toolCall.toolCallId);
    }
  }

  function notify(): void {
    const waiting = observers;
    observers = new Set();
    for (const callback of waiting) callback();
  }

  async function append(entry: LedgerEntry): Promise<number> {
    const events = entry.events.map((event) => {
      assignedSeq += 1;
      return { seq: assignedSeq, event };
    });
    const after = assignedSeq - events.length;
    const last = assignedSeq;
    const isFirst = isNew;
    isNew = false;
    await commits.add({
      contextId,
      events,
      journal: entry.journal ?? [],
      isCritical: entry.isCritical ?? false,
      ...(isFirst && { session }),
      ...(entry.receipt !== undefined && { receipt: { ...entry.receipt, contextId, after } }),
    });
    for (const logEvent of events) {
      // A task whose first event this is needs no reading back.
      if (logEvent.event.kind === "USER_PROMPT" && logEvent.event.state === "submitted") {
        const { taskId } = logEvent.event;
        if (!views.has(taskId)) views.set(taskId, emptyTaskView(taskId, contextId));
      }
      publish(toLogged(logEvent));
    }
    if (tail.length > TAIL * 2) tail.splice(0, tail.length - TAIL);
    if (events.length > 0) notify();
    return last;
  }

  return {
    contextId,
    cursors,
    live,
    append,
    get lastSeq() {
      return lastSeq;
    },
    publishLive(event: StampedEvent) {
      if (event.kind !== "TOOL_CALL_UPDATE") return;
      liveVersion += 1;
      const { turn, ...rest } = event;
      const logged = { seq: lastSeq, turn, event: { ...rest, contextId }, encoded: new Map() };
      live.set(event.toolCall.toolCallId, { version: liveVersion, logged });
      notify();
    },
    async read(after) {
      if (after >= lastSeq) return [];
      const first = tail[0];
      if (first !== undefined && after + 1 >= first.seq) {
        const start = after + 1 - first.seq;
        return tail.slice(start, start + PAGE);
      }
      const stored = await store.readEvents({ contextId, after, limit: PAGE });
      return stored.map(toLogged);
    },
    onChange(callback) {
      observers.add(callback);
      return () => observers.delete(callback);
    },
    async view(taskId) {
      const folded = views.get(taskId) ?? (await readView(taskId));
      // Live output is no part of the log, but of what an observer should see now.
      const shown = [...live.values()].filter(({ logged }) => logged.event.taskId === taskId);
      return shown.reduce((view, { logged }) => reduceTaskView(view, logged.event), folded);
    },
  };

  async function readView(taskId: string): Promise<TaskView> {
    let view = emptyTaskView(taskId, contextId);
    let after = 0;
    for (;;) {
      const page = await store.readEvents({ contextId, taskId, after, limit: PAGE });
      for (const logEvent of page) view = reduceTaskView(view, toLogged(logEvent).event);
      after = page.at(-1)?.seq ?? after;
      // Nothing was awaited since the last page, so nothing was missed: from here on it is kept.
      if (page.length < PAGE && after >= (lastTaskSeq(taskId) ?? after)) break;
    }
    views.set(taskId, view);
    return view;
  }

  function lastTaskSeq(taskId: string): number | undefined {
    return tail.findLast(({ event }) => event.taskId === taskId)?.seq;
  }
}
