/** Looks for sessions of other processes that have ended. */
export interface TakeOver {
  start(): void;
  /** Ends the timer. Returns a promise if sessions are being taken over at this moment. */
  close(): Promise<void> | undefined;
}

/** Options of {@link createTakeOver}. */
export interface TakeOverOptions {
  /** Undefined if no process can lose its sessions to another one. */
  readonly everyMs: number | undefined;
  takeOver(): Promise<void>;
}

/** Creates a timer that takes sessions over, one run at a time. */
export function createTakeOver({ everyMs, takeOver }: TakeOverOptions): TakeOver {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function run(): void {
    running ??= takeOver()
      // The store reports its own faults, and the next run tries again.
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  }

  return {
    start() {
      if (everyMs !== undefined) timer ??= setInterval(run, everyMs).unref();
    },
    close() {
      clearInterval(timer);
      return running;
    },
  };
}
