/** Measures the working time of a turn, without the time spent waiting for people. */
export interface WorkClock {
  /** Runs `work` and counts the time it takes. */
  measure<TResult>(work: () => Promise<TResult>): Promise<TResult>;
  /** Waits for a person inside measured work, without counting the time. */
  pause<TResult>(wait: () => Promise<TResult>): Promise<TResult>;
  elapsedMs(): number;
}

/** Options of {@link createWorkClock}. */
export interface WorkClockOptions {
  readonly now: () => number;
  /** Limit of the working time. */
  readonly maxMs: number;
  /** Called when the working time reaches `maxMs` while work is running. */
  onLimit(): void;
}

/** The longest delay that a Node timer accepts. */
const MAX_TIMER_MS = 2_147_483_647;

/** Creates a clock. It runs while at least one piece of work is measured. */
export function createWorkClock({ now, maxMs, onLimit }: WorkClockOptions): WorkClock {
  let elapsed = 0;
  let running = 0;
  let since = 0;
  let alarm: NodeJS.Timeout | undefined;

  function start(): void {
    since = now();
    alarm = setTimeout(onLimit, Math.min(Math.max(0, maxMs - elapsed), MAX_TIMER_MS));
    alarm.unref();
  }

  function stop(): void {
    elapsed += now() - since;
    clearTimeout(alarm);
  }

  function begin(): void {
    if (running === 0) start();
    running += 1;
  }

  function end(): void {
    running -= 1;
    if (running === 0) stop();
  }

  return {
    async measure(work) {
      begin();
      try {
        return await work();
      } finally {
        end();
      }
    },
    async pause(wait) {
      end();
      try {
        return await wait();
      } finally {
        begin();
      }
    },
    elapsedMs: () => elapsed + (running === 0 ? 0 : now() - since),
  };
}
