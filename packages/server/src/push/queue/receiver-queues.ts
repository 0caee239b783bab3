import {
  type CallCounts,
  canStart,
  originLimits,
  overallLimits,
  type QueueLimits,
  type Standing,
} from "./delivery-limits.js";
import { createRoundRobin } from "./round-robin.js";

/** A config in the queue of its receiver. */
export interface QueuedConfig {
  readonly key: string;
  /** Host of the receiver. All configs of one host share its limit. */
  readonly origin: string;
  /** URL of the receiver. All configs of one receiver share its standing. */
  readonly receiver: string;
}

/** One queue per receiver, in order of arrival. Hosts take turns, and so do the receivers of one host. */
export interface ReceiverQueues<TConfig extends QueuedConfig> {
  /** Adds a config, unless it is queued already; returns false if there is no room. */
  add(config: TConfig): boolean;
  /** Takes the next config whose receiver may be called. The config counts as a call until it is released. */
  take(): TConfig | undefined;
  release(config: QueuedConfig): void;
  remove(config: QueuedConfig): void;
  /** Records that a receiver answers or fails. Its running calls then count towards the limit of this standing. */
  mark(config: QueuedConfig, standing: Standing): void;
  /** Number of configs in the queues. */
  readonly queued: number;
  /** Number of configs that may still be added. */
  readonly room: number;
  /** Number of configs that were taken and not released. */
  readonly calling: number;
}

interface Receiver<TConfig> {
  readonly url: string;
  readonly origin: string;
  readonly queue: Map<string, TConfig>;
  standing: Standing;
  calls: number;
}

/** Maximum number of failing receivers that are remembered while their queue is empty. */
const MAX_REMEMBERED = 10_000;
/** Maximum number of receivers that are checked to find one that can be forgotten. */
const MAX_CHECKED = 8;
const NO_CALLS: CallCounts = { answering: 0, failing: 0 };

/** Creates the queues. The cost of an operation does not depend on the number of configs. */
export function createReceiverQueues<TConfig extends QueuedConfig>(
  limits: QueueLimits,
): ReceiverQueues<TConfig> {
  const overall = overallLimits(limits);
  const perOrigin = originLimits(limits);
  const receivers = new Map<string, Receiver<TConfig>>();
  const rounds = {
    answering: createRoundRobin<Receiver<TConfig>>(),
    failing: createRoundRobin<Receiver<TConfig>>(),
  };
  const callsByOrigin = new Map<string, CallCounts>();
  let calls = NO_CALLS;
  let queued = 0;

  function getReceiver({ receiver: url, origin }: QueuedConfig): Receiver<TConfig> {
    const known = receivers.get(url);
    if (known !== undefined) return known;
    const receiver = createReceiver<TConfig>(url, origin);
    receivers.set(url, receiver);
    if (receivers.size > limits.maxQueued + MAX_REMEMBERED) forgetOne(receivers);
    return receiver;
  }

  function count({ origin, standing }: Receiver<TConfig>, change: number): void {
    calls = addTo(calls, standing, change);
    const own = addTo(callsByOrigin.get(origin) ?? NO_CALLS, standing, change);
    if (own.answering + own.failing === 0) callsByOrigin.delete(origin);
    else callsByOrigin.set(origin, own);
  }

  /**
   * Removes a receiver from the round robin if its queue is empty. Forgets an answering receiver if it also has no
   * running call.
   */
  function settle(receiver: Receiver<TConfig>): void {
    if (receiver.queue.size > 0) return;
    rounds[receiver.standing].delete(receiver);
    if (receiver.calls === 0 && receiver.standing === "answering") receivers.delete(receiver.url);
  }

  function takeFrom(standing: Standing): TConfig | undefined {
    if (!canStart(standing, calls, overall)) return undefined;
    const receiver = rounds[standing].next((origin) =>
      canStart(standing, callsByOrigin.get(origin) ?? NO_CALLS, perOrigin),
    );
    const [config] = receiver?.queue.values() ?? [];
    if (receiver === undefined || config === undefined) return undefined;
    receiver.queue.delete(config.key);
    queued -= 1;
    receiver.calls += 1;
    count(receiver, 1);
    settle(receiver);
    return config;
  }

  return {
    add(config) {
      if (receivers.get(config.receiver)?.queue.has(config.key)) return true;
      if (queued >= limits.maxQueued) return false;
      const receiver = getReceiver(config);
      receiver.queue.set(config.key, config);
      queued += 1;
      rounds[receiver.standing].add(receiver);
      return true;
    },
    take: () => takeFrom("answering") ?? takeFrom("failing"),
    release(config) {
      const receiver = getReceiver(config);
      receiver.calls -= 1;
      count(receiver, -1);
      settle(receiver);
    },
    remove(config) {
      const receiver = receivers.get(config.receiver);
      if (receiver?.queue.delete(config.key) !== true) return;
      queued -= 1;
      settle(receiver);
    },
    mark(config, standing) {
      const receiver = getReceiver(config);
      count(receiver, -receiver.calls);
      if (receiver.standing !== standing) rounds[receiver.standing].delete(receiver);
      receiver.standing = standing;
      count(receiver, receiver.calls);
      if (receiver.queue.size > 0) rounds[standing].add(receiver);
      // The receiver moves to the end of the map, because `forgetOne` starts with the first one.
      receivers.delete(receiver.url);
      receivers.set(receiver.url, receiver);
      settle(receiver);
    },
    get queued() {
      return queued;
    },
    get room() {
      return limits.maxQueued - queued;
    },
    get calling() {
      return calls.answering + calls.failing;
    },
  };
}

function createReceiver<TConfig>(url: string, origin: string): Receiver<TConfig> {
  return { url, origin, queue: new Map(), standing: "answering", calls: 0 };
}

function addTo(counts: CallCounts, standing: Standing, change: number): CallCounts {
  return { ...counts, [standing]: counts[standing] + change };
}

/**
 * Forgets the receiver that failed longest ago and has no queue and no call. It checks at most
 * {@link MAX_CHECKED} receivers, and may forget none.
 */
function forgetOne<TConfig>(receivers: Map<string, Receiver<TConfig>>): void {
  let checked = 0;
  for (const receiver of receivers.values()) {
    receivers.delete(receiver.url);
    if (receiver.queue.size === 0 && receiver.calls === 0) return;
    receivers.set(receiver.url, receiver);
    checked += 1;
    if (checked === MAX_CHECKED) return;
  }
}
