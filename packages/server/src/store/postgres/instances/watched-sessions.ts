import type { InstanceStore, SessionWatcher } from "../../instances/instance-store.js";
import type { Database } from "../database/open-connections.js";
import { sessionKey } from "./wake-keys.js";
import type { WakeUps } from "./wake-ups.js";

/** The sessions that this instance reads while another instance may write them. */
export interface WatchedSessions extends Pick<InstanceStore, "watch"> {
  close(): void;
}

/** Options of {@link createWatchedSessions}. */
export interface WatchedSessionsOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
  readonly wakeUps: Pick<WakeUps, "isListening" | "subscribe">;
}

/** Intervals of polls: the slow one while wake-ups can arrive, the fast one while they cannot. */
const SLOW_POLL_MS = 1_000;
const FAST_POLL_MS = 150;

/** Creates an empty list. One poll reads the heads of all sessions that are needed. */
export function createWatchedSessions(options: WatchedSessionsOptions): WatchedSessions {
  const { database, schema, wakeUps } = options;
  const watchers = new Map<string, { readonly key: string; readonly watcher: SessionWatcher }>();
  const byKey = new Map<string, Set<SessionWatcher>>();
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;
  let isPolling = false;
  let isClosed = false;

  const unsubscribe = wakeUps.subscribe((keys, isAll) => {
    if (isAll) for (const { watcher } of watchers.values()) watcher.onWake();
    else for (const key of keys) for (const watcher of byKey.get(key) ?? []) watcher.onWake();
  });

  async function poll(): Promise<void> {
    const needed = [...watchers].filter(([, { watcher }]) => watcher.isNeeded);
    if (needed.length === 0) return;
    const rows = await database.query({
      name: `heads ${schema}`,
      text: `SELECT context_id, last_position FROM ${schema}.sessions WHERE context_id = ANY($1)`,
      values: [needed.map(([contextId]) => contextId)],
    });
    const heads = new Map(rows.map((row) => [String(row.context_id), Number(row.last_position)]));
    for (const [contextId, { watcher }] of needed) watcher.onPoll(heads.get(contextId));
  }

  function tick(): void {
    ticks += 1;
    const isDue = !wakeUps.isListening || ticks >= SLOW_POLL_MS / FAST_POLL_MS;
    if (isPolling || !isDue) return;
    isPolling = true;
    ticks = 0;
    poll()
      .catch(() => {})
      .finally(() => {
        isPolling = false;
      });
  }

  return {
    watch(contextId, watcher) {
      const key = sessionKey(contextId);
      const entry = { key, watcher };
      watchers.set(contextId, entry);
      byKey.set(key, (byKey.get(key) ?? new Set()).add(watcher));
      if (!isClosed) timer ??= setInterval(tick, FAST_POLL_MS).unref();
      return () => {
        if (watchers.get(contextId) === entry) watchers.delete(contextId);
        const same = byKey.get(key);
        same?.delete(watcher);
        if (same?.size === 0) byKey.delete(key);
        if (watchers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    close() {
      isClosed = true;
      unsubscribe();
      clearInterval(timer);
    },
  };
}
