/** Work that is done once at a time, and once more if it was asked for meanwhile. */
export interface RepeatedWork {
  /** Does the work now, or again as soon as it has ended: what changed while it ran may be news to it. */
  request(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Creates it; nothing runs yet. The work must not reject. */
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
