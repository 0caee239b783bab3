import { SetupError } from "../errors/setup-error.js";
import type { SessionClaim } from "./session-store.js";

/** Holds on sessions within one process. */
export interface SessionClaims {
  claim(contextId: string): SessionClaim;
}

/** Keeps claims; `lock`, where there is one, keeps other processes away as well. */
export function createSessionClaims(
  lock: (contextId: string) => SessionClaim = () => ({ release() {} }),
): SessionClaims {
  const held = new Set<string>();
  return {
    claim(contextId) {
      if (held.has(contextId)) throw new SetupError(`the session ${contextId} is open already`);
      const outer = lock(contextId);
      held.add(contextId);
      let isHeld = true;
      return {
        release() {
          if (!isHeld) return;
          isHeld = false;
          held.delete(contextId);
          outer.release();
        },
      };
    },
  };
}
