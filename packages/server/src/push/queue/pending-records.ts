import type { PushKey } from "../../store/push-record.js";
import { advancePending, type PendingState, type PendingStep } from "./advance-pending.js";
import { type ConfigRef, configKey } from "./config-ref.js";
import type { PushLimits } from "./delivery-limits.js";
import {
  type Delivered,
  type DeliverySubject,
  type PendingCall,
  setTimer,
  startCall,
} from "./pending-call.js";
import { createReceiverQueues, type ReceiverQueues } from "./receiver-queues.js";

/** The record of a config that is queued, delivering or waiting. */
export interface PendingRecord {
  config: ConfigRef;
  state: PendingState;
  /** The timer that ends the wait. */
  timer?: NodeJS.Timeout;
  call?: PendingCall;
}

/** The records of the configs in this process, and the queues of their receivers. */
export interface PendingRecords {
  readonly queues: Pick<ReceiverQueues<ConfigRef>, "queued" | "calling" | "room" | "mark">;
  find(key: PushKey): PendingRecord | undefined;
  all(): Iterable<PendingRecord>;
  /** Advances a config; creates its record if there is none. */
  advance(config: ConfigRef, type: "notify" | "wake"): void;
  /** Applies a step to a record, and starts the work of its new state. */
  step(record: PendingRecord, step: PendingStep): void;
  /** Starts the calls that the limits allow. */
  startCalls(): void;
  /** Prevents new calls. */
  close(): void;
}

/** Options of {@link createPendingRecords}. */
export interface PendingRecordsOptions {
  readonly limits: PushLimits;
  /** The wall clock, in ms. */
  now(): number;
  /** Delivers the next event or task of a config, if there is one. Never rejects. */
  deliver(subject: DeliverySubject): Promise<Delivered>;
  /** Called if there is no room for a config. */
  onOverflow(config: ConfigRef): void;
  /** Called after each delivery. */
  onDelivered(): void;
}

/**
 * Maximum number of waiting configs with a record. A waiting config without a record is read from the store
 * again for every event of its task.
 */
const MAX_WAITING = 10_000;

/** Creates the records. They run the timers and calls for the states of {@link advancePending}. */
export function createPendingRecords(options: PendingRecordsOptions): PendingRecords {
  const { limits, now, deliver, onOverflow, onDelivered } = options;
  const { slowMs } = limits;
  const records = new Map<string, PendingRecord>();
  const queues = createReceiverQueues<ConfigRef>(limits);
  let isClosed = false;

  function step(record: PendingRecord, taken: PendingStep): void {
    const { type: before } = record.state;
    record.state = advancePending(record.state, taken);
    if (record.state.type === before) return;
    clearTimeout(record.timer);
    queues.remove(record.config);
    enter(record);
  }

  function enter(record: PendingRecord): void {
    const { config, state } = record;
    if (state.type === "queued") {
      if (queues.add(config)) return;
      records.delete(config.key);
      onOverflow(config);
    } else if (state.type === "delivering") {
      const onEnd = (delivered: Delivered) => finish(record, config, delivered);
      record.call = startCall(config, { slowMs, deliver, onSlow: () => markSlow(config), onEnd });
    } else if (state.type === "waiting" && records.size <= limits.maxQueued + MAX_WAITING) {
      record.timer = setTimer(state.until - now(), () => {
        step(record, { type: "time-up" });
        startCalls();
      });
    } else {
      records.delete(config.key);
    }
  }

  function markSlow(config: ConfigRef): void {
    queues.mark(config, "failing");
    startCalls();
  }

  function finish(record: PendingRecord, config: ConfigRef, delivered: Delivered): void {
    if (delivered.standing !== undefined) queues.mark(config, delivered.standing);
    queues.release(config);
    delete record.call;
    if (isClosed) return;
    step(record, delivered.step);
    startCalls();
    onDelivered();
  }

  function startCalls(): void {
    if (isClosed) return;
    for (let config = queues.take(); config !== undefined; config = queues.take()) {
      const record = records.get(config.key);
      if (record !== undefined) step(record, { type: "start" });
    }
  }

  function advance(config: ConfigRef, type: "notify" | "wake"): void {
    if (isClosed) return;
    const record = records.get(config.key) ?? { config, state: { type: "idle" } as const };
    records.set(config.key, record);
    const { config: old, state } = record;
    record.config = config;
    if (state.type === "queued" && old.receiver !== config.receiver) {
      queues.remove(old);
      queues.add(config);
    }
    step(record, { type });
  }

  return {
    queues,
    find: (key) => records.get(configKey(key)),
    all: () => records.values(),
    advance,
    step,
    startCalls,
    close() {
      isClosed = true;
    },
  };
}
