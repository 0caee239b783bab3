import { AsyncResource } from "node:async_hooks";
import type { Commit } from "../store/commit.js";
import type { PushKey, PushRecord } from "../store/push-record.js";
import { isNotable } from "./notable-event.js";
import { openPushWorker, type PushWorkerOptions } from "./push-worker.js";
import { toConfigRef } from "./queue/config-ref.js";
import type { PushCounters } from "./report-call.js";
import { createTaskConfigs } from "./task-configs.js";

/** The parts of a commit that a sender reads. */
export interface PushedCommit {
  readonly events: readonly Pick<Commit["events"][number], "event">[];
  readonly push?: Commit["push"];
}

/** Delivers commits to receivers. */
export interface PushSender {
  /** Continues the deliveries of an earlier process. */
  start(): Promise<void>;
  /** Delivers a commit to its receivers. */
  notify(commit: PushedCommit): void;
  /** Delivers to a config that was set, and aborts a call under way for an older revision of it. */
  update(push: PushRecord): void;
  /** Removes a deleted config; resolves when it is no longer called. */
  stop(key: PushKey): Promise<void>;
  readonly counters: PushCounters;
  /** Number of configs that have something to deliver, or wait for their next attempt. */
  countPending(): Promise<number>;
  /** Waits a second for the calls under way, then aborts them; resolves when none is left. */
  close(): Promise<void>;
}

/** Options of {@link openPushSender}. */
export type PushSenderOptions = PushWorkerOptions;

/** Opens a sender. It finds the configs of a commit, and a worker delivers to them. */
export function openPushSender(options: PushSenderOptions): PushSender {
  const { store, clock, contextId } = options;
  const configs = createTaskConfigs(store);
  // Deliveries run outside of any request, so that their log lines do not carry its ids.
  const outside = new AsyncResource("PushSender");
  // Undefined until the store was read. While it is false, commits are ignored.
  let hasConfigs: boolean | undefined;
  let isClosed = false;

  // After the sender was closed, the store may be closed too, which is not a fault.
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

  return {
    counters: worker.counters,
    update: (push) => outside.runInAsyncScope(update, undefined, push),
    async start() {
      try {
        const hasAny = await store.resumePushes(clock.now().toISOString(), { contextId });
        hasConfigs ??= hasAny;
      } catch (reason) {
        onFault(reason);
      }
      await outside.runInAsyncScope(() => worker.claim());
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
      await worker.close();
      isClosed = true;
    },
  };
}
