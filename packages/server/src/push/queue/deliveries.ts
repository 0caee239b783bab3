import { withLogContext } from "../../logging/log-context.js";
import type { PushKey, PushRecord } from "../../store/push-record.js";
import {
  advancePending,
  type FinishStep,
  type PendingState,
  type PendingStep,
} from "./advance-pending.js";
import { MAX_TIMER_MS } from "./alarm.js";
import { type ConfigRef, configKey } from "./config-ref.js";
import type { PushLimits, Standing } from "./delivery-limits.js";
import { createReceiverQueues } from "./receiver-queues.js";

/** The configs with something to deliver, and the calls that are under way for them. */
export interface Deliveries {
  /** Advances some configs, then starts the calls that may start. */
  advance(configs: readonly ConfigRef[], type: "notify" | "wake"): void;
  /** Records that the receiver of a config failed lately. */
  markFailing(config: ConfigRef): void;
  /** Aborts the call of a config if it delivers another revision. */
  abortOlder(push: PushKey & Pick<PushRecord, "revision">): void;
  /** Forgets a config; resolves when it is no longer called. */
  stop(key: PushKey): Promise<void>;
  /** Number of configs that are queued or called. */
  active(): number;
  /** Number of configs that may still be queued. */
  room(): number;
  /** Resolves when no call is under way, or after this time. */
  drain(graceMs: number): Promise<void>;
  /** Starts nothing more and aborts the calls; resolves when none is left. */
  close(): Promise<void>;
}

/** A config whose turn it is. */
export interface DeliverySubject {
  readonly key: PushKey;
  /** Aborts when the config was deleted or set again, or when the deliveries close. */
  readonly signal: AbortSignal;
  /** To be called with the config as the store has it, before the call. */
  onRead(push: Pick<PushRecord, "revision">): void;
}

/** The result of a delivery. */
export interface Delivered {
  readonly step: FinishStep;
  /** Absent if the receiver was not called. */
  readonly standing?: Standing;
}

/** Options of {@link createDeliveries}. */
export interface DeliveriesOptions {
  readonly limits: PushLimits;
  /** The wall clock, in ms. */
  now(): number;
  /** Delivers the next thing of a config, if there is one. Never rejects. */
  deliver(subject: DeliverySubject): Promise<Delivered>;
  /** Called if there is no room for a config. */
  onOverflow(config: ConfigRef): void;
  /** Called after each delivery. */
  onDelivered(): void;
}

/** One record per config that is queued, called or waiting. */
interface Pending {
  config: ConfigRef;
  state: PendingState;
  /** Marks a call as slow, or ends a wait. */
  timer?: NodeJS.Timeout;
  call?: Call;
}

interface Call {
  readonly abort: AbortController;
  /** The revision of the config that is delivered. */
  revision?: string;
  done: Promise<void>;
}

/** Number of waiting configs that are known here. An event wakes any other for nothing. */
const MAX_WAITING = 10_000;

/** Creates the records: timers and calls around the states of {@link advancePending}. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { limits, now, onOverflow, onDelivered } = options;
  const records = new Map<string, Pending>();
  const queues = createReceiverQueues<ConfigRef>(limits);
  let isClosed = false;
  let onIdle = () => {};

  function step(record: Pending, taken: PendingStep): void {
    const { type: before } = record.state;
    record.state = advancePending(record.state, taken);
    if (record.state.type === before) return;
    clearTimeout(record.timer);
    if (before === "queued") queues.remove(record.config);
    enter(record);
  }

  function enter(record: Pending): void {
    const { config, state } = record;
    if (state.type === "queued") {
      if (queues.add(config)) return;
      records.delete(config.key);
      onOverflow(config);
    } else if (state.type === "delivering") {
      call(record);
    } else if (state.type === "waiting" && records.size <= limits.maxQueued + MAX_WAITING) {
      record.timer = setTimer(state.until - now(), () => {
        step(record, { type: "time-up" });
        startCalls();
      });
    } else {
      records.delete(config.key);
    }
  }

  function call(record: Pending): void {
    const { config } = record;
    record.timer = setTimer(limits.slowMs, () => {
      queues.mark(config, "failing");
      startCalls();
    });
    record.call = startCall(config, options, ({ step: taken, standing }) => {
      if (standing !== undefined) queues.mark(config, standing);
      queues.release(config);
      delete record.call;
      if (isClosed) return;
      step(record, taken);
      startCalls();
      if (queues.calling === 0) onIdle();
      onDelivered();
    });
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
    const record: Pending = records.get(config.key) ?? { config, state: { type: "idle" } };
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
    advance(configs, type) {
      for (const config of configs) advance(config, type);
      startCalls();
    },
    markFailing: (config) => queues.mark(config, "failing"),
    abortOlder({ revision, ...key }) {
      const call = records.get(configKey(key))?.call;
      if (call?.revision !== undefined && call.revision !== revision) call.abort.abort();
    },
    async stop(key) {
      const record = records.get(configKey(key));
      if (record === undefined) return;
      step(record, { type: "stop" });
      record.call?.abort.abort();
      await record.call?.done;
    },
    active: () => queues.queued + queues.calling,
    room: () => queues.room,
    async drain(graceMs) {
      if (queues.calling === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        setTimeout(resolve, graceMs).unref();
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([...records.values()].map(abandon));
    },
  };
}

async function abandon({ timer, call }: Pending): Promise<void> {
  clearTimeout(timer);
  call?.abort.abort();
  await call?.done;
}

/** Sets a timer that does not keep the process alive. */
function setTimer(ms: number, onTime: () => void): NodeJS.Timeout {
  return setTimeout(onTime, Math.min(Math.max(ms, 0), MAX_TIMER_MS)).unref();
}

function startCall(
  config: ConfigRef,
  { deliver }: Pick<DeliveriesOptions, "deliver">,
  onEnd: (delivered: Delivered) => void,
): Call {
  const { contextId, taskId } = config;
  const call: Call = { abort: new AbortController(), done: Promise.resolve() };
  const subject: DeliverySubject = {
    key: config,
    signal: call.abort.signal,
    onRead({ revision }) {
      call.revision = revision;
    },
  };
  call.done = withLogContext({ contextId, taskId }, () => deliver(subject)).then(onEnd);
  return call;
}
