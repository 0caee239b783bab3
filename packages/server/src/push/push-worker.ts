import type { Logger } from "../logging/logger.js";
import type { PushRecord } from "../store/push-record.js";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./advance-push.js";
import { createBodyCache } from "./body-cache.js";
import {
  type DeliverOptions,
  deliverNext,
  type FinishedCall,
  findPush,
  isDue,
} from "./deliver-next.js";
import { createDueClaims } from "./queue/claim-due.js";
import { type ConfigRef, toConfigRef } from "./queue/config-ref.js";
import { createDeliveries, type Deliveries } from "./queue/deliveries.js";
import { type PushLimits, toPushLimits } from "./queue/delivery-limits.js";
import type { Delivered, DeliverySubject } from "./queue/pending-call.js";
import { logFailure, type PushCall, type PushCounters, toPushCall } from "./report-call.js";

/** Calls the receivers of the configs that have something to deliver. */
export interface PushWorker extends Pick<Deliveries, "advance" | "abortOlder" | "stop"> {
  readonly counters: PushCounters;
  /** Claims the configs whose next attempt is due. */
  claim(): Promise<void>;
  /** Number of configs that have something to deliver, or wait for their next attempt. */
  countPending(): Promise<number>;
  /** Waits up to a second for running calls, then aborts them. Resolves when all calls have ended. */
  close(): Promise<void>;
}

/** Options of {@link openPushWorker}. */
export interface PushWorkerOptions extends Omit<DeliverOptions, "retry" | "bodies"> {
  readonly logger: Logger;
  /** Only the receivers of this session are called. Default: the receivers of all sessions in the store. */
  readonly contextId?: string | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly limits?: Partial<PushLimits> | undefined;
  /** Called with faults of the store. */
  onFault(reason: unknown): void;
  /** Called after every call to a receiver. */
  readonly onCall?: ((call: PushCall) => void) | undefined;
}

/** Events of the worker for its sender. */
export interface PushWorkerEvents {
  /** Called when next attempts may be due. The sender then calls `claim` outside of any request. */
  onClaimDue(): void;
  onGivenUp(push: PushRecord): void;
}

/** Time until the next attempt of a config after a fault of the store, or if another instance makes an attempt. */
const FAULT_WAIT_MS = 1_000;
/** Time that running calls have to end when the worker closes. */
const GRACE_MS = 1_000;

/**
 * Opens a worker.
 *
 * The worker keeps no events in memory, because the next delivery of a config is read from the log. It keeps a record
 * of each config with a queued or running call, and of some waiting configs. The store has all configs, with the times
 * of their next attempts.
 */
export function openPushWorker(options: PushWorkerOptions, events: PushWorkerEvents): PushWorker {
  const { store, poster, clock, logger, contextId, onFault, onCall = () => {} } = options;
  const retry = { ...DEFAULT_RETRY_POLICY, ...options.retry };
  const parts: DeliverOptions = { ...options, retry, bodies: createBodyCache() };
  const counters = { delivered: 0, retried: 0, gaveUp: 0 };
  const now = () => clock.now().getTime();

  const deliveries = createDeliveries({
    limits: toPushLimits(options.limits),
    now,
    deliver,
    onOverflow: (config) => void waitInStore(config).catch(onFault),
    onDelivered: () => due.claimIfRoom(),
  });
  const due = createDueClaims({
    store,
    contextId,
    now: () => clock.now(),
    room: deliveries.room,
    onDue: resume,
    onClaimDue: () => events.onClaimDue(),
    onFault,
  });

  async function deliver(subject: DeliverySubject): Promise<Delivered> {
    try {
      const result = await deliverNext(subject, parts);
      if (result.type === "called") return report(result);
      if (result.type === "claimed")
        return { step: { type: "fault", until: now() + FAULT_WAIT_MS } };
      return { step: { type: result.type === "stale" ? "continue" : "nothing" } };
    } catch (reason) {
      onFault(reason);
      return { step: { type: "fault", until: now() + FAULT_WAIT_MS } };
    }
  }

  function report(call: FinishedCall): Delivered {
    const { push, progress, outcome } = call;
    const pushCall = toPushCall(call);
    counters[pushCall.outcome] += 1;
    onCall(pushCall);
    logFailure(call, logger);
    if (outcome.type === "accepted") return { step: { type: "continue" }, standing: "answering" };
    if (progress.nextAttemptAt === undefined) {
      events.onGivenUp(push);
      return { step: { type: "give-up" }, standing: "failing" };
    }
    const until = Date.parse(progress.nextAttemptAt);
    due.setFor(until);
    return { step: { type: "fail", until }, standing: "failing" };
  }

  /** Makes a config wait in the store, because there is no room in memory. */
  async function waitInStore(config: ConfigRef): Promise<void> {
    const push = await findPush(config, store);
    if (push === undefined || !isDue(push.progress)) return;
    await store.notePush(push, { ...push.progress, nextAttemptAt: clock.now().toISOString() });
    due.markWaitingForRoom();
  }

  function resume(pushes: readonly PushRecord[]): void {
    // A receiver that failed in an earlier process counts as failing in this process too.
    const failed = pushes.filter(({ progress }) => progress.failures > 0);
    for (const push of failed) deliveries.markFailing(toConfigRef(push));
    deliveries.advance(pushes.map(toConfigRef), "wake");
  }

  return {
    counters,
    advance: deliveries.advance,
    abortOlder: deliveries.abortOlder,
    stop: deliveries.stop,
    claim: due.claim,
    async countPending() {
      const { count } = await store.countWaitingPushes({ contextId });
      return count + deliveries.countActive();
    },
    async close() {
      await deliveries.drain(GRACE_MS);
      due.close();
      await deliveries.close();
      poster.close();
    },
  };
}
