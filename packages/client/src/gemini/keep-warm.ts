import { sleep } from "../transport/reconnect.js";

/** Less than the time after which Node's fetch lets go of an idle connection: three seconds. */
const DEFAULT_INTERVAL_MS = 1_000;

/** Holds on to the connections of turns that wait. */
export interface KeepWarm {
  readonly intervalMs: number;
  hold(taskId: string): void;
  release(taskId: string): void;
}

/** What holding on takes. */
export interface KeepWarmOptions {
  /** A small request about a task; what it finds out is its own affair. */
  readonly peek: (taskId: string) => Promise<void>;
  /** How many connections may lie idle. */
  readonly idle: () => number;
  readonly closing: AbortSignal;
  readonly intervalMs?: number;
}

/**
 * gemini-cli's server aborts a turn when the client lets go of the connection that began it, though the
 * response on it has ended long ago: while a question waits, while the answered tool runs. Which of
 * its idle connections a platform takes for a request is its own choice, so there are as many small
 * requests at once as there may be idle connections: none of them grows old.
 */
export function createKeepWarm(options: KeepWarmOptions): KeepWarm {
  const { peek, idle, closing, intervalMs = DEFAULT_INTERVAL_MS } = options;
  const held = new Set<string>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    try {
      for (;;) {
        await sleep(intervalMs, closing);
        const taskIds = [...held];
        if (taskIds.length === 0 || closing.aborted) return;
        const count = Math.max(taskIds.length, idle());
        const peekAt = (_: unknown, index: number) => peek(taskIds[index % taskIds.length] ?? "");
        await Promise.all(Array.from({ length: count }, peekAt));
      }
    } finally {
      isRunning = false;
    }
  }

  return {
    intervalMs,
    hold(taskId) {
      held.add(taskId);
      if (!isRunning) void run();
    },
    release(taskId) {
      held.delete(taskId);
    },
  };
}
