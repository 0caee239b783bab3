import { StoreFault } from "../../store-fault.js";

/** The sessions of a store in which a damaged row was found. */
export interface DamagedSessions {
  readonly ids: readonly string[];
  /** Remembers a damaged session; any other error is none of its business. */
  note(error: unknown): void;
  /** Throws the fault of a session that is damaged. */
  check(contextId: string): void;
  has(contextId: string): boolean;
  /** Forgets a session that was deleted. */
  forget(contextId: string): void;
}

/** Keeps damaged sessions, and calls back for each when it is found. */
export function createDamagedSessions(onFound: (fault: StoreFault) => void): DamagedSessions {
  const faults = new Map<string, StoreFault>();
  return {
    get ids() {
      return [...faults.keys()];
    },
    note(error) {
      if (!(error instanceof StoreFault) || error.contextId === undefined) return;
      if (faults.has(error.contextId)) return;
      faults.set(error.contextId, error);
      onFound(error);
    },
    check(contextId) {
      const fault = faults.get(contextId);
      if (fault !== undefined) throw fault;
    },
    has: (contextId) => faults.has(contextId),
    forget: (contextId) => void faults.delete(contextId),
  };
}
