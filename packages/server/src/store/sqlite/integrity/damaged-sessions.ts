import { StoreFault } from "../../store-fault.js";

/** Sessions of one store that have at least one damaged row. */
export interface DamagedSessions {
  readonly ids: readonly string[];
  /** Adds the session that a `StoreFault` names; ignores every other error. */
  note(error: unknown): void;
  /** Throws the recorded `StoreFault` if this session is damaged. */
  check(contextId: string): void;
  has(contextId: string): boolean;
  /** Removes a session that was deleted. */
  forget(contextId: string): void;
}

/** Creates an empty set. `onFound` is called once per session, when its first fault is added. */
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
