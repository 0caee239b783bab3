/** A check that runs at an interval, for as long as there is something to check. */
export interface RepeatedCheck {
  /** Plans a check, unless a check is planned or running already. */
  start(): void;
  /** Cancels the planned check, and plans no other. */
  close(): void;
}

/** Options of {@link createRepeatedCheck}. */
export interface RepeatedCheckOptions {
  readonly intervalMs: number;
  check(): Promise<void>;
  /** Returns false if nothing is left to check. No check is then planned until the next `start`. */
  isNeeded(): boolean;
  onFault(reason: unknown): void;
}

/** Creates a check that is not planned yet. Two checks never run at the same time. */
export function createRepeatedCheck(options: RepeatedCheckOptions): RepeatedCheck {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): void {
    if (isClosed || timer !== undefined) return;
    timer = setTimeout(() => {
      options
        .check()
        .catch(options.onFault)
        .finally(() => {
          timer = undefined;
          if (options.isNeeded()) start();
        });
    }, options.intervalMs).unref();
  }

  return {
    start,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
