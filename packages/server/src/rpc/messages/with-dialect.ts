import { DEFAULT_DIALECT, type Dialect } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";

/** A task that a request may create, and the dialect of the request. */
export interface NewTask {
  readonly log: Pick<SessionLog, "newDialects">;
  readonly taskId: string;
  readonly dialect: Pick<Dialect, "name">;
}

/** Runs a request that may create a task. The first commit of the task stores the dialect of the request. */
export async function withDialect<TResult>(
  { log, taskId, dialect }: NewTask,
  run: () => Promise<TResult>,
): Promise<TResult> {
  if (dialect.name === DEFAULT_DIALECT) return await run();
  log.newDialects.set(taskId, dialect.name);
  try {
    return await run();
  } finally {
    log.newDialects.delete(taskId);
  }
}
