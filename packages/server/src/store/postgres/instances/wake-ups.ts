import pg from "pg";

/** Sends and receives wake-ups over a connection of its own. A wake-up has the keys of changes. */
export interface WakeUps {
  /** True if wake-ups from other instances can arrive now. Otherwise only polls find changes. */
  readonly isListening: boolean;
  /**
   * Sends a key to all other instances soon. Keys of a few milliseconds are sent together.
   * A key is lost while there is no connection.
   */
  note(key: string): void;
  /** Calls `callback` with keys from other instances. `isAll` is true if keys may have been missed. */
  subscribe(callback: (keys: ReadonlySet<string>, isAll: boolean) => void): () => void;
  close(): Promise<void>;
}

/** Options of {@link openWakeUps}. */
export interface WakeUpsOptions {
  readonly url: string;
  /** Name of the channel, which all instances of one store use. */
  readonly channel: string;
  /** False if no connection is opened, because a pooler would not pass notifications on. */
  readonly isEnabled: boolean;
}

/** Time in which keys are collected. A notification is slow for Postgres, so it is not a part of an append. */
const COLLECT_MS = 4;
/** Time until the connection is opened again after a fault. */
const RETRY_MS = 500;
/** Longest time for one notification. */
const SEND_MS = 5_000;
/** Maximum number of keys in one notification. Postgres limits its size to 8,000 bytes. */
const MAX_KEYS = 100;

/** Opens the connection in the background. A fault only delays other instances, so it is not reported. */
export function openWakeUps({ url, channel, isEnabled }: WakeUpsOptions): WakeUps {
  const subscribers = new Set<(keys: ReadonlySet<string>, isAll: boolean) => void>();
  let client: pg.Client | undefined;
  const noted = new Set<string>();
  let collecting: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let connecting: Promise<void> | undefined;
  let isClosed = false;

  function notify(keys: ReadonlySet<string>, isAll: boolean): void {
    for (const callback of subscribers) callback(keys, isAll);
  }

  async function connect(): Promise<void> {
    const opened = new pg.Client({
      connectionString: url,
      keepAlive: true,
      query_timeout: SEND_MS,
      application_name: "dt",
    });
    const onLost = () => {
      if (client === opened) client = undefined;
      opened.end().catch(() => {});
      if (isClosed || retrying !== undefined) return;
      retrying = setTimeout(() => {
        retrying = undefined;
        connecting = connect();
      }, RETRY_MS).unref();
    };
    opened.on("error", onLost);
    opened.on("end", onLost);
    opened.on("notification", ({ processId, payload = "" }) => {
      // Postgres also sends each notification to its own sender.
      if (processId !== Reflect.get(opened, "processID"))
        notify(new Set(payload.split(",")), false);
    });
    try {
      await opened.connect();
      await opened.query(`LISTEN "${channel}"`);
      if (isClosed) return await opened.end();
      client = opened;
      notify(new Set(), true);
    } catch {
      onLost();
    }
  }

  /** Sends the keys, one notification at a time. Keys that are noted meanwhile are sent too. */
  async function sendAll(): Promise<void> {
    while (noted.size > 0 && client !== undefined) {
      const keys = [...noted].slice(0, MAX_KEYS);
      for (const key of keys) noted.delete(key);
      const values = [channel, keys.join(",")];
      await client.query("SELECT pg_notify($1, $2)", values).catch(() => {});
    }
  }

  async function send(): Promise<void> {
    clearTimeout(collecting);
    collecting = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    await sending;
  }

  if (isEnabled) connecting = connect();

  return {
    get isListening() {
      return client !== undefined;
    },
    note(key) {
      if (client === undefined) return;
      noted.add(key);
      collecting ??= setTimeout(send, COLLECT_MS).unref();
    },
    subscribe(callback) {
      subscribers.add(callback);
      return () => void subscribers.delete(callback);
    },
    async close() {
      isClosed = true;
      clearTimeout(retrying);
      await connecting;
      await send();
      await client?.end().catch(() => {});
    },
  };
}
