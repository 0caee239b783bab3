import type { TaskView } from "@dt/schema";
import type { Dialect, Encoded } from "@dt/schema/wire";

/** Snapshots that several subscribers are being sent right now. */
export interface SharedSnapshots {
  /** Starts a subscription without a cursor; those who start with the same view at a time share its text. */
  start(view: TaskView, dialect: Dialect): Encoded<unknown>;
}

/**
 * A snapshot may be large, and a reader that stalls keeps it in memory, so all readers share one text. It is
 * held weakly and is collected with its last reader.
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
