import { ProtocolError } from "@dt/schema";
import type { SessionStore } from "../../store/session-store.js";
import type { Limits } from "./limits.js";

/** How many tasks each owner has, and whether there may be more. */
export interface TaskQuota {
  /** Throws `agent-busy` where an owner has as many as are kept. */
  check(owner: string): Promise<void>;
  /** An owner has one more. */
  added(owner: string): void;
  /** Some may be gone: they are counted again when it matters. */
  recount(): void;
}

/** Counts an owner's tasks once; counting them for each new one would cost more with every one. */
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
      throw new ProtocolError("agent-busy", `${total} tasks are kept already; no more are taken`, {
        data: { maxTasks: maxTasksPerOwner },
      });
    },
    added(owner) {
      const known = totals.get(owner);
      if (known !== undefined) {
        totals.set(
          owner,
          known.then((total) => total + 1),
        );
      }
    },
    recount: () => totals.clear(),
  };
}
