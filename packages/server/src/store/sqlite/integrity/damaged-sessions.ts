import { StoreFault } from "../../store-fault.js";

/** The sessions of a store with a damaged row. */
export interface DamagedSessions {
  readonly ids: readonly string[];
  /** Adds the session of a fault; ignores other errors. */
  note(error: unknown): void;
  /** Throws the fault of a session if it is damaged. */
  check(contextId: string): void;
  has(contextId: string): boolean;
  /** Removes a session that was deleted. */
  forget(contextId: string): void;
}

/** Creates an empty list; calls back for each session that is added. */
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
