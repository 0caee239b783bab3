import { AsyncLocalStorage } from "node:async_hooks";

/** Ids that log lines contain. */
export interface LogContext {
  /** Id of a WebSocket. */
  connectionId?: string;
  requestId?: string;
  user?: string;
  contextId?: string;
  taskId?: string;
}

const STORAGE = new AsyncLocalStorage<LogContext>();

/** Returns the ids of the current work; empty outside of {@link withLogContext}. */
export function currentLogContext(): Readonly<LogContext> {
  return STORAGE.getStore() ?? {};
}

/** Runs `work`. All its log lines contain these ids, even the lines of callbacks that run later. */
export function withLogContext<TValue>(context: LogContext, work: () => TValue): TValue {
  return STORAGE.run({ ...currentLogContext(), ...context }, work);
}

/** Runs `work`. All its log lines contain the id of a task. */
export function withTask<TValue>(taskId: string, work: () => TValue): TValue {
  return withLogContext({ taskId }, work);
}

/** Adds ids to the current work, such as the user after authentication. */
export function addLogContext(context: LogContext): void {
  Object.assign(STORAGE.getStore() ?? {}, context);
}
