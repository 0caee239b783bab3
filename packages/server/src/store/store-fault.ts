import { ProtocolError } from "@dt/schema";

/** Kind of a fault: a session or the store is damaged, the store's files are gone, or the disk is full. */
export type StoreFaultKind = "session-damaged" | "store-damaged" | "store-gone" | "disk-full";

/** Options of a {@link StoreFault}. */
export interface StoreFaultOptions extends ErrorOptions {
  /** The damaged session; absent if the fault affects the whole store. */
  readonly contextId?: string;
  /** True if the fault ends by itself, for example when a database answers again. Clients then try again. */
  readonly isTemporary?: boolean;
}

/**
 * Pause before clients send a request again that failed because of a temporary fault. With the number of attempts
 * that `@dt/client` makes, it survives the time in which another server of a database takes over.
 */
const RETRY_AFTER_MS = 5_000;

/** A fault of a store. Clients get its message, and its kind as `data.store`. */
export class StoreFault extends ProtocolError {
  readonly kind: StoreFaultKind;
  readonly contextId: string | undefined;

  constructor(kind: StoreFaultKind, message: string, options: StoreFaultOptions = {}) {
    const { contextId, isTemporary = false } = options;
    const data = {
      store: kind,
      ...(contextId !== undefined && { contextId }),
      ...(isTemporary && { retryAfterMs: RETRY_AFTER_MS }),
    };
    super(isTemporary ? "agent-busy" : "internal", message, { ...options, data });
    this.kind = kind;
    this.contextId = contextId;
  }
}

/** Creates the fault of a session with a damaged row. */
export function damagedSession(contextId: string, row: string, cause?: unknown): StoreFault {
  const message = `the session ${contextId} is damaged (${row}) and was closed; other sessions are not affected`;
  return new StoreFault("session-damaged", message, { contextId, cause });
}
