import { ProtocolError } from "@dt/schema";
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

/** Creates a quota. Until `reset`, the store counts the tasks of an owner only once, because counting is slow. */
export function createTaskQuota(
  store: Pick<SessionStore, "countTasks">,
  { maxTasksPerOwner }: Pick<Limits, "maxTasksPerOwner">,
): TaskQuota {
  const totals = new Map<string, Promise<number>>();

  function totalOf(owner: string): Promise<number> {
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
