import { ProtocolError } from "@dt/schema";
import { type Clock, systemClock } from "../../clock.js";
import type { SessionStore } from "../../store/session-store.js";
import type { Limits } from "./limits.js";

/** Limits the stored tasks of each owner. */
export interface TaskQuota {
  /** Throws `agent-busy` if an owner has reached the limit. */
  check(owner: string): Promise<void>;
  /** Counts a new task of an owner. */
  add(owner: string): void;
  /** Forgets all counts; call it after tasks were deleted. The next check counts the tasks in the store again. */
  reset(): void;
}

/** Time after which tasks are counted again, because other instances may have added tasks. */
const SHARED_COUNT_MS = 2_000;

/**
 * Creates a quota. Until `reset`, the store counts the tasks of an owner only once, because counting is slow.
 * If instances share the store, the counts are forgotten every two seconds.
 */
export function createTaskQuota(
  store: Pick<SessionStore, "countTasks" | "instances">,
  { maxTasksPerOwner }: Pick<Limits, "maxTasksPerOwner">,
  { elapsedMs }: Pick<Clock, "elapsedMs"> = systemClock,
): TaskQuota {
  const totals = new Map<string, Promise<number>>();
  let countedAt = Number.NEGATIVE_INFINITY;

  function totalOf(owner: string): Promise<number> {
    if (store.instances !== undefined && elapsedMs() - countedAt >= SHARED_COUNT_MS) {
      countedAt = elapsedMs();
      totals.clear();
    }
    const known = totals.get(owner);
    if (known !== undefined) return known;
    const counted = store.countTasks(owner).then(({ total }) => total);
    totals.set(owner, counted);
    counted.catch(() => totals.delete(owner));
    return counted;
  }

  return {
    async check(owner) {
      const total = await totalOf(owner);
      if (total < maxTasksPerOwner) return;
      throw new ProtocolError(
        "agent-busy",
        `${total} tasks are stored already, which is the limit; ask the operator to raise it`,
        {
          data: { maxTasks: maxTasksPerOwner },
        },
      );
    },
    add(owner) {
      const known = totals.get(owner);
      if (known !== undefined) {
        totals.set(
          owner,
          known.then((total) => total + 1),
        );
      }
    },
    reset: () => totals.clear(),
  };
}
