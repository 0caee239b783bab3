import type { TaskView } from "@dt/schema";
import type { Dialect, Encoded } from "@dt/schema/wire";

/** A cache of the snapshots that are being sent to subscribers. */
export interface SharedSnapshots {
  /** Starts a subscription without a cursor. Subscriptions that start with the same view share its text. */
  start(view: TaskView, dialect: Dialect): Encoded<unknown>;
}

/**
 * Creates the cache. A snapshot may be large, and stays in memory until its slowest client has read it. All clients
 * therefore share one text. The cache has only a weak reference, so the text is freed after its last client.
 */
export function createSharedSnapshots(): SharedSnapshots {
  const views = new WeakMap<TaskView, Map<string, WeakRef<Encoded<unknown>>>>();
  return {
    start(view, dialect) {
      const known = views.get(view) ?? new Map<string, WeakRef<Encoded<unknown>>>();
      const shared = known.get(dialect.key)?.deref();
      if (shared !== undefined) return shared;
      const started = dialect.start(view, { type: "subscription" });
      known.set(dialect.key, new WeakRef(started));
      views.set(view, known);
      return started;
    },
  };
}
