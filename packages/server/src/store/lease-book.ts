import { SetupError } from "@dt/schema";
import { type AcquireOptions, type Lease, LeaseLost } from "./lease.js";

/** The leases that one process holds. */
export interface LeaseBook {
  /** Throws {@link SetupError} if a session has a lease, unless `takesOver` is set. */
  check(contextId: string, options?: AcquireOptions): void;
  /**
   * Adds a lease. The session's earlier lease is lost. `onRelease` runs when the new lease is released or lost, but not
   * when a later lease of this book replaces it.
   */
  open(contextId: string, epoch: number, onRelease?: () => void): Lease;
  /** Returns the epoch of the lease on a session. */
  epochOf(contextId: string): number | undefined;
  /** Ends the lease with this epoch, because it was lost. */
  lose(contextId: string, epoch: number): void;
  /** Ends all leases, because they were lost together. */
  loseAll(): void;
}

interface HeldLease {
  readonly epoch: number;
  readonly controller: AbortController;
  readonly onRelease: () => void;
}

/** Creates an empty book. */
export function createLeaseBook(): LeaseBook {
  const held = new Map<string, HeldLease>();

  function remove(contextId: string, lease: HeldLease): void {
    if (held.get(contextId) !== lease) return;
    held.delete(contextId);
    lease.onRelease();
  }

  function lose(contextId: string, epoch: number): void {
    const lease = held.get(contextId);
    if (lease?.epoch !== epoch) return;
    remove(contextId, lease);
    lease.controller.abort(new LeaseLost(contextId));
  }

  return {
    check(contextId, { takesOver = false } = {}) {
      if (held.has(contextId) && !takesOver) {
        throw new SetupError(`the session ${contextId} is open already; close it first`);
      }
    },
    open(contextId, epoch, onRelease = () => {}) {
      const before = held.get(contextId);
      const controller = new AbortController();
      const lease: HeldLease = { epoch, controller, onRelease };
      held.set(contextId, lease);
      before?.controller.abort(new LeaseLost(contextId));
      return {
        contextId,
        epoch,
        lost: controller.signal,
        release: async () => remove(contextId, lease),
      };
    },
    epochOf: (contextId) => held.get(contextId)?.epoch,
    lose,
    loseAll() {
      for (const [contextId, { epoch }] of [...held]) lose(contextId, epoch);
    },
  };
}
