import { ProtocolError } from "@dt/schema";

/** Kind of a fault: a session or the store is damaged, the store's files are gone, or the disk is full. */
export type StoreFaultKind = "session-damaged" | "store-damaged" | "store-gone" | "disk-full";

/** Options of a {@link StoreFault}. */
export interface StoreFaultOptions extends ErrorOptions {
  /** The damaged session; absent if the fault affects the whole store. */
  readonly contextId?: string;
}

/** A fault of a store. Clients get its message, and its kind as `data.store`. */
export class StoreFault extends ProtocolError {
  readonly kind: StoreFaultKind;
  readonly contextId: string | undefined;

  constructor(kind: StoreFaultKind, message: string, options: StoreFaultOptions = {}) {
    const { contextId } = options;
    const data = { store: kind, ...(contextId !== undefined && { contextId }) };
    super("internal", message, { ...options, data });
    this.kind = kind;
    this.contextId = contextId;
  }
}

/** Creates the fault of a session with a damaged row. */
export function damagedSession(contextId: string, row: string, cause?: unknown): StoreFault {
  const message = `the session ${contextId} is damaged (${row}) and was closed; other sessions are not affected`;
  return new StoreFault("session-damaged", message, { contextId, cause });
}
