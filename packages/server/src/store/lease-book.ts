import { SetupError } from "../errors/setup-error.js";
import { type AcquireOptions, type Lease, LeaseLost } from "./lease.js";

/** The leases that are held in one process. */
export interface LeaseBook {
  /** Throws {@link SetupError} if a session is held and is not to be taken over. */
  check(contextId: string, options?: AcquireOptions): void;
  /** Enters a lease; one that was held before is lost. `onRelease` runs when the session is given back. */
  open(contextId: string, epoch: number, onRelease?: () => void): Lease;
  /** Epoch of the lease that is held. */
  epochOf(contextId: string): number | undefined;
  /** Ends a lease that turned out to be lost; any other one stays. */
  lose(contextId: string, epoch: number): void;
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

  return {
    check(contextId, { takesOver = false } = {}) {
      if (held.has(contextId) && !takesOver) {
        throw new SetupError(`the session ${contextId} is open already`);
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
    lose(contextId, epoch) {
      const lease = held.get(contextId);
      if (lease?.epoch !== epoch) return;
      remove(contextId, lease);
      lease.controller.abort(new LeaseLost(contextId));
    },
  };
}
