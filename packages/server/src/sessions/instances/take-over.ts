/** Takes over sessions of other processes that have ended. */
export interface TakeOver {
  start(): void;
  /** Takes over sessions now. */
  run(): void;
  /** Ends the timer. Resolves when no session is being taken over. */
  close(): Promise<void>;
}

/** Options of {@link createTakeOver}. */
export interface TakeOverOptions {
  readonly everyMs: number;
  takeOver(): Promise<void>;
}

/** Creates a timer that takes sessions over, one run at a time. */
export function createTakeOver({ everyMs, takeOver }: TakeOverOptions): TakeOver {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  function run(): void {
    if (isClosed) return;
    running ??= takeOver()
      // The store reports its own faults, and the next run tries again.
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  }

  return {
    start() {
      timer ??= setInterval(run, everyMs).unref();
    },
    run,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}
