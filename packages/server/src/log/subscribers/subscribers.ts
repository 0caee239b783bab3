import { type Client, createRecentClients, type RecentClients } from "./recent-clients.js";

/** Information about one subscriber. */
export interface SubscriberInfo {
  /** Returns the position that the subscriber has reached. */
  readonly position?: () => number;
  readonly client?: Client | undefined;
}

/** The subscribers of one session's log. */
export interface Subscribers {
  readonly size: number;
  /** Calls `callback` whenever the log changes. Returns a function that unsubscribes. */
  add(callback: () => void, info?: SubscriberInfo): () => void;
  /** Number of events that the slowest subscriber has not read. */
  readonly lag: number;
  /** Records a request of a client, so that the client is counted even if it does not subscribe. */
  noteRequest(client: Client): void;
  /**
   * Lists the clients of this process: the clients that sent a request lately, and one entry for each
   * subscriber, which is null if no client of the subscriber is known.
   */
  listOwn(): readonly (Client | null)[];
  /** Sets the clients of other processes, which are counted and listed too. */
  setElsewhere(clients: readonly (Client | null)[]): void;
  /** True if another process has clients of the session. */
  readonly isUsedElsewhere: boolean;
  /** Number of clients that subscribe or sent a request lately. */
  countClients(): number;
  /** Lists the clients that subscribe or sent a request lately. Each client is listed once. */
  listClients(): readonly Client[];
}

/** The subscribers, with the method that only the log calls. */
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

/** Creates an empty list of subscribers. */
export function createSubscribers(options: SubscribersOptions): NotifiedSubscribers {
  return new LogSubscribers(options);
}

class LogSubscribers implements NotifiedSubscribers {
  private readonly subscribers = new Map<() => void, SubscriberInfo>();
  private readonly options: SubscribersOptions;
  // Created by the first request of a client, because a session without such requests needs no list.
  private recent: RecentClients | undefined;
  private elsewhere: readonly (Client | null)[] = [];

  constructor(options: SubscribersOptions) {
    this.options = options;
  }

  get size(): number {
    return this.subscribers.size;
  }

  add(callback: () => void, info: SubscriberInfo = {}): () => void {
    // The wrapper is a new key, so that the same callback can subscribe twice.
    const subscriber = () => callback();
    this.subscribers.set(subscriber, info);
    return () => {
      this.subscribers.delete(subscriber);
      this.options.onRemoved();
    };
  }

  notify(): void {
    for (const callback of this.subscribers.keys()) callback();
  }

  get lag(): number {
    const positions = [...this.subscribers.values()].flatMap(({ position }) => position?.() ?? []);
    const last = this.options.lastPosition();
    return positions.reduce((most, position) => Math.max(most, last - position), 0);
  }

  noteRequest(client: Client): void {
    this.getRecent().note(client);
  }

  countClients(): number {
    return this.getRecent().count(this.listSubscribers());
  }

  listClients(): readonly Client[] {
    return this.getRecent().list(this.listSubscribers());
  }

  listOwn(): readonly (Client | null)[] {
    const own = [...this.subscribers.values()].map(({ client }) => toNamed(client));
    return [...(this.recent?.list([]) ?? []), ...own];
  }

  setElsewhere(clients: readonly (Client | null)[]): void {
    this.elsewhere = clients;
  }

  get isUsedElsewhere(): boolean {
    return this.elsewhere.length > 0;
  }

  private listSubscribers(): readonly (Client | undefined)[] {
    const own = [...this.subscribers.values()].map(({ client }) => client);
    return [...own, ...this.elsewhere.map((client) => client ?? undefined)];
  }

  private getRecent(): RecentClients {
    this.recent ??= createRecentClients(this.options.elapsedMs);
    return this.recent;
  }
}

/** Returns only the fields of a caller that other processes need. */
function toNamed(client: Client | undefined): Client | null {
  return client === undefined ? null : { user: client.user, name: client.name };
}
