import { AsyncResource } from "node:async_hooks";
import { withLogContext } from "../logging/log-context.js";
import type { Logger } from "../logging/logger.js";
import type { PushKey, PushRecord } from "../store/push-record.js";
import type { Commit } from "../store/session-store.js";
import { defaultRetryPolicy, type RetryPolicy } from "./advance-push.js";
import { createAlarm } from "./alarm.js";
import { createKeptBodies } from "./body-cache.js";
import { type Called, type CallerOptions, callReceiver, findPush, isDue } from "./deliver-next.js";
import { isNotable } from "./notable-event.js";
import { createLaneQueue, type LaneLimits } from "./queue/receiver-queues.js";
import { createKnownPushes, laneKey, type PushLane, toLane } from "./task-configs.js";

/** Calls back those who asked for it. */
export interface PushSender {
  /** Goes on with what a process before this one left. */
  start(): Promise<void>;
  /** Told of every commit: who wants to hear of it is called. */
  notify(commit: Commit): void;
  /** A config was set: a call that is under way for other words or another receiver is dropped. */
  changed(push: PushRecord): void;
  /** A config was deleted: resolves when it is not called any more. */
  stop(key: PushKey): Promise<void>;
  readonly counters: PushCounters;
  /** How many configs have something to be told, or wait to be called again. */
  countPending(): Promise<number>;
  /** Tells for a moment what there is to tell, then ends its calls; resolves when none is left. */
  close(): Promise<void>;
}

/** What has been done since the start. */
export interface PushCounters {
  readonly delivered: number;
  /** Calls that failed and are made again. */
  readonly retried: number;
  /** Configs that were given up. */
  readonly gaveUp: number;
}

/** One call, once it is over. */
export interface PushCall {
  readonly outcome: keyof PushCounters;
  readonly ms: number;
}

/** What a sender is opened with. */
export interface PushSenderOptions extends Omit<CallerOptions, "retry" | "bodies"> {
  readonly logger: Logger;
  /** The one session whose receivers are called, where others share the store. Default: all of them. */
  readonly contextId?: string | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly limits?: Partial<PushLimits> | undefined;
  /** Told of faults that are ours. */
  onFault(reason: unknown): void;
  /** Told of every call that was made. */
  readonly onCall?: ((call: PushCall) => void) | undefined;
}

interface Turn {
  readonly abort: AbortController;
  /** Which setting of the config is being told. */
  revision?: string;
  /** Set where the lane must have another turn after this one. */
  next?: PushLane;
  done: Promise<void>;
}

/** How many calls are made at once, and which of them are slow. */
export interface PushLimits extends LaneLimits {
  /** How long a call may take before its receiver counts as slow. */
  readonly slowMs: number;
}

const defaultLimits: PushLimits = {
  maxCalls: 256,
  maxCallsPerOrigin: 16,
  maxQueued: 10_000,
  slowMs: 500,
};
/** How many of those that wait are taken up at a time. */
const MAX_CLAIMED = 256;
/** How soon we look again: after a fault of the store or with no room, and where more are due. */
const AGAIN_MS = 1_000;
const SOON_MS = 10;
/** How many of those that wait are known here; the others are woken for nothing. */
const MAX_RESTING = 10_000;
/** How long calls may go on once we were asked to stop. */
const GRACE_MS = 1_000;

/**
 * Opens a sender.
 *
 * It keeps no events: what a config is told next is read from the log, a few whole tasks apart. In memory are only the configs
 * that have a call under way or are in line for one; those that wait to be called again are in the
 * store, with their time.
 */
export function openPushSender(options: PushSenderOptions): PushSender {
  const { store, logger, contextId, onCall = () => {} } = options;
  const caller = {
    ...options,
    retry: { ...defaultRetryPolicy, ...options.retry },
    bodies: createKeptBodies(),
  };
  const limits = { ...defaultLimits, ...options.limits };
  const queue = createLaneQueue<PushLane>(limits);
  const known = createKnownPushes(store);
  const turns = new Map<string, Turn>();
  // Lanes that wait to be called again, and until when: what happens meanwhile need not wake them.
  const resting = new Map<string, number>();
  // Lanes that a fault of the store has stopped, until we look again.
  const faulted = new Map<string, PushLane>();
  const counters = { delivered: 0, retried: 0, gaveUp: 0 };
  // Its work is that of no request: not of the one that woke it, nor of the one that set its clock.
  const outside = new AsyncResource("PushSender");
  const alarm = createAlarm(() => void outside.runInAsyncScope(takeDue));
  // Once it is known that there is no config at all, commits are of no interest until one is set.
  let hasConfigs: boolean | undefined;
  // Whether some wait in the store only because there was no room here.
  let isBehind = false;
  let isClosed = false;
  let onIdle = () => {};

  // A store that is closed with us refuses; that is no fault.
  function onFault(reason: unknown): void {
    if (!isClosed) options.onFault(reason);
  }

  function wake(lane: PushLane): void {
    if (isClosed) return;
    const turn = turns.get(lane.key);
    if (turn !== undefined) turn.next = lane;
    else if (!queue.add(lane)) void park(lane).catch(onFault);
  }

  function isResting({ key }: PushLane): boolean {
    return (resting.get(key) ?? 0) > Date.now();
  }

  // No room in memory: it waits in the store, though its time has come.
  async function park(lane: PushLane): Promise<void> {
    const push = await findPush(lane, store);
    if (push === undefined || !isDue(push.progress)) return;
    await store.notePush(push, { ...push.progress, nextAttemptAt: isoOf(Date.now()) });
    isBehind = true;
    alarm.setFor(Date.now() + AGAIN_MS);
  }

  function pump(): void {
    for (let lane = queue.take(); lane !== undefined; lane = queue.take()) startTurn(lane);
  }

  function startTurn(lane: PushLane): void {
    const turn: Turn = { abort: new AbortController(), done: Promise.resolve() };
    turns.set(lane.key, turn);
    resting.delete(lane.key);
    const onSlow = setTimeout(() => {
      queue.doubt(lane);
      pump();
    }, limits.slowMs).unref();
    const { contextId, taskId } = lane;
    const run = () => runTurn(lane, turn);
    turn.done = withLogContext({ contextId, taskId }, run).then((hasMore) => {
      clearTimeout(onSlow);
      turns.delete(lane.key);
      queue.release(lane);
      // To the end of the line, so that others get their turn.
      const next = turn.next ?? (hasMore ? lane : undefined);
      if (next !== undefined && !isResting(next)) wake(next);
      pump();
      if (turns.size === 0) onIdle();
      if (isBehind && queue.room > 0) alarm.setFor(Date.now());
    });
  }

  /** Makes one call, if one is to be made; says whether there may be more to tell. */
  async function runTurn(lane: PushLane, turn: Turn): Promise<boolean> {
    const { signal } = turn.abort;
    const onRead = ({ revision }: PushRecord) => {
      turn.revision = revision;
    };
    try {
      const result = await callReceiver({ key: lane, signal, onRead }, caller);
      if (result.type === "called") {
        judge(lane, result);
        report(result);
      }
      return result.type === "called"
        ? result.outcome.type === "accepted"
        : result.type === "stale";
    } catch (reason) {
      onFault(reason);
      if (faulted.size < limits.maxQueued) faulted.set(lane.key, lane);
      alarm.setFor(Date.now() + AGAIN_MS);
      return false;
    }
  }

  // Who fails is called from now on without taking the place of those who do not.
  function judge(lane: PushLane, { outcome }: Called): void {
    if (outcome.type === "accepted") queue.trust(lane);
    else queue.doubt(lane);
  }

  function report({ push, progress, outcome, ms }: Called): void {
    const kind =
      outcome.type === "accepted" ? "delivered" : progress.hasGivenUp ? "gaveUp" : "retried";
    counters[kind] += 1;
    onCall({ outcome: kind, ms });
    if (outcome.type === "accepted") return;
    const { taskId, configId, target } = push;
    const { failures, nextAttemptAt, hasGivenUp } = progress;
    const { error: why, addresses } = outcome;
    // The path and the query of a receiver may be its secret.
    const { host } = new URL(target.url);
    const fields = {
      contextId: push.contextId,
      taskId,
      configId,
      host,
      failures,
      why,
      addresses,
      nextAttemptAt,
    };
    if (hasGivenUp) {
      known.forget(taskId);
      logger.warn(fields, "push given up");
    } else {
      logger.info(fields, "push failed");
    }
    if (nextAttemptAt === undefined) return;
    const at = Date.parse(nextAttemptAt);
    alarm.setFor(at);
    resting.set(laneKey(push), at);
    const [oldest = ""] = resting.keys();
    if (resting.size > MAX_RESTING) resting.delete(oldest);
  }

  /** Takes up those whose time has come, as many as there is room for. */
  async function takeDue(): Promise<void> {
    const stopped = [...faulted.values()];
    faulted.clear();
    for (const lane of stopped) wake(lane);
    try {
      const limit = Math.min(queue.room, MAX_CLAIMED);
      const due = await store.claimPushes({ now: isoOf(Date.now()), limit, contextId });
      for (const push of due) {
        const lane = toLane(push);
        // Also where the failure was that of a process before this one.
        if (push.progress.failures > 0) queue.doubt(lane);
        wake(lane);
      }
      const { nextAt } = await store.countWaitingPushes({ contextId });
      const at = nextAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(nextAt);
      isBehind = at <= Date.now() && queue.room === 0;
      alarm.setFor(Math.max(at, Date.now() + (isBehind ? AGAIN_MS : SOON_MS)));
    } catch (reason) {
      onFault(reason);
      alarm.setFor(Date.now() + AGAIN_MS);
    }
    pump();
  }

  function wakeAll(lanes: readonly PushLane[]): void {
    for (const lane of lanes) wake(lane);
    pump();
  }

  function notifyTask(taskId: string, { events }: Commit): void {
    const lanes = known.lanesOf(taskId);
    if (lanes instanceof Promise) {
      lanes.then(wakeAll, onFault);
      return;
    }
    if (lanes.length === 0) return;
    const isWorthIt = events.some(({ event }) => event.taskId === taskId && isNotable(event));
    wakeAll(lanes.filter((lane) => (isWorthIt || lane.allEvents) && !isResting(lane)));
  }

  function changed(push: PushRecord): void {
    hasConfigs = true;
    known.forget(push.taskId);
    const turn = turns.get(laneKey(push));
    if (turn?.revision !== undefined && turn.revision !== push.revision) turn.abort.abort();
    wake(toLane(push));
    pump();
  }

  function notify(commit: Commit): void {
    if (commit.push !== undefined) changed(commit.push);
    let last: string | undefined;
    for (const { event } of commit.events) {
      if (event.taskId === last) continue;
      last = event.taskId;
      notifyTask(last, commit);
    }
  }

  return {
    counters,
    changed: (push) => outside.runInAsyncScope(changed, undefined, push),
    async start() {
      try {
        const isAny = await store.resumePushes(isoOf(Date.now()), { contextId });
        hasConfigs ??= isAny;
      } catch (reason) {
        onFault(reason);
      }
      await outside.runInAsyncScope(takeDue);
    },
    notify(commit) {
      if (isClosed || (hasConfigs === false && commit.push === undefined)) return;
      outside.runInAsyncScope(notify, undefined, commit);
    },
    async stop(key) {
      known.forget(key.taskId);
      resting.delete(laneKey(key));
      queue.remove(laneKey(key));
      const turn = turns.get(laneKey(key));
      turn?.abort.abort();
      await turn?.done;
    },
    async countPending() {
      const { count } = await store.countWaitingPushes({ contextId });
      return count + queue.queued + turns.size;
    },
    async close() {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      const patience = new Promise<void>((resolve) => {
        setTimeout(resolve, GRACE_MS).unref();
      });
      if (turns.size > 0) await Promise.race([idle, patience]);
      isClosed = true;
      alarm.close();
      queue.clear();
      for (const { abort } of turns.values()) abort.abort();
      await Promise.all([...turns.values()].map(({ done }) => done));
      options.poster.close();
    },
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
