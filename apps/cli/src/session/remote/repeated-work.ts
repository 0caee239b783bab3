/** Work that never overlaps itself. Requests during a run cause one more run after it. */
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
