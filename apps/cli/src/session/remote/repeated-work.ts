/** Work that never overlaps itself. If the work is requested during a run, it runs once more after that run. */
export interface RepeatedWork {
  /** Starts the work, or repeats it after the current run, which may have missed the latest change. */
  request(): void;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
}

/** Creates repeated work; nothing runs yet. The work must not reject. */
export function createRepeatedWork(work: () => Promise<void>): RepeatedWork {
  let running: Promise<void> | undefined;
  let isDue = false;

  async function run(): Promise<void> {
    while (isDue) {
      isDue = false;
      await work();
    }
    running = undefined;
  }

  return {
    request() {
      isDue = true;
      running ??= run();
    },
    async idle() {
      await running;
    },
  };
}
