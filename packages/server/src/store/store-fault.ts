import { ProtocolError } from "@dt/schema";

/** Why a store refuses: a session or the whole store is damaged, its files are gone, or the disk is full. */
export type StoreFaultKind = "session-damaged" | "store-damaged" | "store-gone" | "disk-full";

/** More about a fault. */
export interface StoreFaultOptions extends ErrorOptions {
  /** The one session that is concerned; absent if it is the whole store. */
  readonly contextId?: string;
}

/** A store that cannot do what it is asked; clients get the sentence, and the kind as `data.store`. */
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

/** A session that holds a damaged row; `row` says which one. */
export function damagedSession(contextId: string, row: string, cause?: unknown): StoreFault {
  const message = `the session ${contextId} is damaged (${row}) and is closed; other sessions go on`;
  return new StoreFault("session-damaged", message, { contextId, cause });
}
