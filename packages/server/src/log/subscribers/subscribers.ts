import { type Client, createRecentClients, type RecentClients } from "./recent-clients.js";

/** Facts about one subscriber. */
export interface SubscriberInfo {
  /** Returns the position that the subscriber has reached. */
  readonly position?: () => number;
  readonly client?: Client | undefined;
}

/** The subscribers of one session's log. */
export interface Subscribers {
  readonly size: number;
  /** Calls back whenever the log changes; returns a function that ends the subscription. */
  add(callback: () => void, info?: SubscriberInfo): () => void;
  /** Number of events that the slowest subscriber has not read. */
  readonly lag: number;
  /** Records a request, so that its client is counted even if it does not subscribe. */
  noteRequest(client: Client): void;
  /** Number of clients: subscribers, and those that sent a request lately. */
  countClients(): number;
}

/** The subscribers, as the log uses them. */
export interface NotifiedSubscribers extends Subscribers {
  notify(): void;
}

/** Options of {@link createSubscribers}. */
export interface SubscribersOptions {
  elapsedMs(): number;
  /** Position of the last event in the log. */
  lastPosition(): number;
  /** Called when a subscription ends. */
  onRemoved(): void;
}

/** Creates an empty list. */
export function createSubscribers(options: SubscribersOptions): NotifiedSubscribers {
  const { elapsedMs, lastPosition, onRemoved } = options;
  const subscribers = new Map<() => void, SubscriberInfo>();
  // Created lazily: most sessions get no request from another client.
  let recent: RecentClients | undefined;

  return {
    get size() {
      return subscribers.size;
    },
    add(callback, info = {}) {
      // Wrapped in a new function, so that a callback that subscribes twice is counted twice.
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
    get lag() {
      const positions = [...subscribers.values()].flatMap(({ position }) => position?.() ?? []);
      return positions.reduce((most, position) => Math.max(most, lastPosition() - position), 0);
    },
    noteRequest(client) {
      recent ??= createRecentClients(elapsedMs);
      recent.note(client);
    },
    countClients() {
      recent ??= createRecentClients(elapsedMs);
      return recent.count([...subscribers.values()].map(({ client }) => client));
    },
  };
}
