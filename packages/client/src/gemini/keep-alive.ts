import { sleep } from "../transport/reconnect.js";

/** Time between two requests. Node's fetch closes a connection that is idle for three seconds. */
const DEFAULT_INTERVAL_MS = 1_000;

/** Keeps connections open from a call of `hold` until `release` is called for the same task. */
export interface KeepAlive {
  readonly intervalMs: number;
  hold(taskId: string): void;
  release(taskId: string): void;
}

/** Dependencies of {@link createKeepAlive}. */
export interface KeepAliveOptions {
  /** Sends a small request about a task and handles its result. */
  readonly peek: (taskId: string) => Promise<void>;
  /** Returns the number of connections that may be idle. */
  readonly idle: () => number;
  readonly closing: AbortSignal;
  readonly intervalMs?: number;
}

/**
 * Keeps connections open while a question is open, and while a tool runs after its approval. gemini-cli's
 * server aborts a turn if the connection that started it closes, even after the response has ended. The
 * platform chooses the connection of a request, so one request is sent for each idle connection.
 */
export function createKeepAlive(options: KeepAliveOptions): KeepAlive {
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
