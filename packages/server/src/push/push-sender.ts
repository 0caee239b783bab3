import { AsyncResource } from "node:async_hooks";
import type { Commit } from "../store/commit.js";
import type { PushKey, PushRecord } from "../store/push-record.js";
import { isNotable } from "./notable-event.js";
import { openPushWorker, type PushWorkerOptions } from "./push-worker.js";
import { toConfigRef } from "./queue/config-ref.js";
import type { PushCounters } from "./report-call.js";
import { createTaskConfigs } from "./task-configs.js";

/** The fields of a commit that a sender uses. */
export interface PushedCommit {
  readonly events: readonly Pick<Commit["events"][number], "event">[];
  readonly push?: Commit["push"];
}

/** Delivers the events of commits to receivers. */
export interface PushSender {
  /** Continues the deliveries of an earlier process. */
  start(): Promise<void>;
  /** Delivers the events of a commit to the receivers of their tasks. */
  notify(commit: PushedCommit): void;
  /** Starts the deliveries of a config that was set. Aborts a running call of its older revision. */
  update(push: PushRecord): void;
  /** Stops the deliveries of a deleted config. Resolves when its last call has ended. */
  stop(key: PushKey): Promise<void>;
  readonly counters: PushCounters;
  /** Number of configs that have something to deliver, or wait for their next attempt. */
  countPending(): Promise<number>;
  /** Waits up to a second for running calls, then aborts them. Resolves when all calls have ended. */
  close(): Promise<void>;
}

/** Interval at which configs that other instances have set are noticed. */
const TICK_MS = 1_000;
/** Number of ticks after which deliveries of instances that have ended are continued. */
const RESUME_TICKS = 5;

/** Options of {@link openPushSender}. */
export type PushSenderOptions = PushWorkerOptions;

/** Opens a sender. It finds the push configs for a commit, and its worker calls their receivers. */
export function openPushSender(options: PushSenderOptions): PushSender {
  const { store, clock, contextId } = options;
  const configs = createTaskConfigs(store);
  // Deliveries run outside of any request, so that their log lines do not contain the ids of a request.
  const outside = new AsyncResource("PushSender");
  // True if the store has a config; undefined until the store has been read, or if instances share the store.
  // If false, commits without a config are ignored.
  let hasConfigs: boolean | undefined;
  let isClosed = false;
  const isShared = store.instances !== undefined;
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;

  // Reports a fault until the sender is closed. The store may be closed after that, and errors of a closed store are
  // not faults.
  function onFault(reason: unknown): void {
    if (!isClosed) options.onFault(reason);
  }

  const worker = openPushWorker(
    { ...options, onFault },
    {
      onClaimDue: () => void outside.runInAsyncScope(() => worker.claim()),
      onGivenUp: ({ taskId }) => configs.forget(taskId),
    },
  );

  function notifyTask(taskId: string, { events }: PushedCommit): void {
    const found = configs.configsOf(taskId);
    if (found instanceof Promise) {
      found.then((loaded) => worker.advance(loaded, "notify"), onFault);
      return;
    }
    if (found.length === 0) return;
    const isWanted = events.some(({ event }) => event.taskId === taskId && isNotable(event));
    worker.advance(isWanted ? found : found.filter(({ allEvents }) => allEvents), "notify");
  }

  function update(push: PushRecord): void {
    hasConfigs = true;
    configs.forget(push.taskId);
    worker.abortOlder(push);
    worker.advance([toConfigRef(push)], "wake");
  }

  function notify(commit: PushedCommit): void {
    if (commit.push !== undefined) update(commit.push);
    let last: string | undefined;
    for (const { event } of commit.events) {
      if (event.taskId === last) continue;
      last = event.taskId;
      notifyTask(last, commit);
    }
  }

  /** Continues deliveries that no instance makes now. */
  async function resume(): Promise<void> {
    try {
      const hasAny = await store.resumePushes(clock.now().toISOString(), { contextId });
      if (!isShared) hasConfigs ??= hasAny;
    } catch (reason) {
      onFault(reason);
    }
    await outside.runInAsyncScope(() => worker.claim());
  }

  // Other instances set configs, and may end with deliveries under way.
  function tick(): void {
    configs.clear();
    ticks += 1;
    if (ticks % RESUME_TICKS === 0) void resume();
  }

  return {
    counters: worker.counters,
    update: (push) => outside.runInAsyncScope(update, undefined, push),
    async start() {
      if (isShared && !isClosed) timer ??= setInterval(tick, TICK_MS).unref();
      await resume();
    },
    notify(commit) {
      if (isClosed || (hasConfigs === false && commit.push === undefined)) return;
      outside.runInAsyncScope(notify, undefined, commit);
    },
    async stop(key) {
      configs.forget(key.taskId);
      await worker.stop(key);
    },
    countPending: () => worker.countPending(),
    async close() {
      clearInterval(timer);
      await worker.close();
      isClosed = true;
    },
  };
}
