import { createVisitors, type Visitor, type Visitors } from "./recent-clients.js";

/** Facts about a subscriber: the position it has reached, and its user. */
export interface ObserverInfo {
  readonly place?: () => number;
  readonly who?: Visitor | undefined;
}

/** The subscribers of one session's log. */
export interface Subscribers {
  readonly size: number;
  /** Calls back whenever the log changes; returns a function that ends the subscription. */
  add(callback: () => void, info: ObserverInfo): () => void;
  notify(): void;
  /** Number of events that the slowest subscriber has not read. */
  lag(lastSeq: number): number;
  /** Notes that somebody asked about the session. */
  see(visitor: Visitor): void;
  /** Number of clients: subscribers, and those that asked lately. */
  countClients(): number;
}

/** Creates an empty list. `onRemoved` is called when a subscription ends. */
export function createSubscribers(
  elapsedMs: () => number,
  onRemoved: () => void = () => {},
): Subscribers {
  const subscribers = new Map<() => void, ObserverInfo>();
  // Created lazily: most sessions are never asked about.
  let visitors: Visitors | undefined;

  return {
    get size() {
      return subscribers.size;
    },
    add(callback, info) {
      // A function of its own, so that a callback that subscribes twice is counted twice.
      const subscriber = () => callback();
      subscribers.set(subscriber, info);
      return () => {
        subscribers.delete(subscriber);
        onRemoved();
      };
    },
    notify() {
      for (const callback of subscribers.keys()) callback();
    },
    lag(lastSeq) {
      const positions = [...subscribers.values()].flatMap(({ place }) => place?.() ?? []);
      return positions.reduce((most, position) => Math.max(most, lastSeq - position), 0);
    },
    see(visitor) {
      visitors ??= createVisitors(elapsedMs);
      visitors.see(visitor);
    },
    countClients() {
      visitors ??= createVisitors(elapsedMs);
      return visitors.count([...subscribers.values()].map(({ who }) => who));
    },
  };
}
