import { AsyncLocalStorage } from "node:async_hooks";

/** What every log line says about the work that it comes from. */
export interface LogContext {
  /** A WebSocket, for as long as it is open. */
  connectionId?: string;
  requestId?: string;
  user?: string;
  contextId?: string;
  taskId?: string;
}

const storage = new AsyncLocalStorage<LogContext>();

/** What is known of the work that is going on; empty outside of any. */
export function currentLogContext(): Readonly<LogContext> {
  return storage.getStore() ?? {};
}

/** Does something, so that every line which it logs, now or later, carries these too. */
export function withLogContext<TValue>(context: LogContext, work: () => TValue): TValue {
  return storage.run({ ...currentLogContext(), ...context }, work);
}

/** The same for one task. */
export function withTask<TValue>(taskId: string, work: () => TValue): TValue {
  return withLogContext({ taskId }, work);
}

/** Adds what came to be known on the way: who calls, which task it is about. */
export function addLogContext(context: LogContext): void {
  Object.assign(storage.getStore() ?? {}, context);
}
