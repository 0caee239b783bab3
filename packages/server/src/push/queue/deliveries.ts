import type { PushKey, PushRecord } from "../../store/push-record.js";
import type { ConfigRef } from "./config-ref.js";
import {
  createPendingRecords,
  type PendingRecord,
  type PendingRecordsOptions,
} from "./pending-records.js";

/** The configs with something to deliver, and the calls that are under way for them. */
export interface Deliveries {
  /** Applies a step to each of the configs, then starts the calls that the limits allow. */
  advance(configs: readonly ConfigRef[], type: "notify" | "wake"): void;
  /** Records that the receiver of a config failed lately. */
  markFailing(config: ConfigRef): void;
  /** Aborts the call of a config if the call delivers another revision of the config. */
  abortOlder(push: PushKey & Pick<PushRecord, "revision">): void;
  /** Removes a config. Resolves when its call has ended. */
  stop(key: PushKey): Promise<void>;
  /** Number of configs with a queued or running call. */
  countActive(): number;
  /** Number of configs that may still be queued. */
  room(): number;
  /** Resolves when no call is under way, or after this time. */
  drain(graceMs: number): Promise<void>;
  /** Prevents new calls and aborts the running ones. Resolves when all calls have ended. */
  close(): Promise<void>;
}

/** Creates an empty list of deliveries. */
export function createDeliveries(options: PendingRecordsOptions): Deliveries {
  let onIdle = () => {};
  const records = createPendingRecords({
    ...options,
    onDelivered() {
      if (queues.calling === 0) onIdle();
      options.onDelivered();
    },
  });
  const { queues } = records;

  return {
    advance(configs, type) {
      for (const config of configs) records.advance(config, type);
      records.startCalls();
    },
    markFailing: (config) => queues.mark(config, "failing"),
    abortOlder({ revision, ...key }) {
      const call = records.find(key)?.call;
      if (call?.revision !== undefined && call.revision !== revision) call.abort();
    },
    async stop(key) {
      const record = records.find(key);
      if (record === undefined) return;
      records.step(record, { type: "stop" });
      record.call?.abort();
      await record.call?.done;
    },
    countActive: () => queues.queued + queues.calling,
    room: () => queues.room,
    async drain(graceMs) {
      if (queues.calling === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        setTimeout(resolve, graceMs).unref();
      });
    },
    async close() {
      records.close();
      await Promise.all([...records.all()].map(abortRecord));
    },
  };
}

async function abortRecord({ timer, call }: PendingRecord): Promise<void> {
  clearTimeout(timer);
  call?.abort();
  await call?.done;
}
