/** How long a turn has worked: time spent waiting for people does not count. */
export interface WorkClock {
  /** Runs something and counts the time it takes. */
  measure<TResult>(work: () => Promise<TResult>): Promise<TResult>;
  /** Waits for a person inside work that is measured; this time does not count. */
  pause<TResult>(wait: () => Promise<TResult>): Promise<TResult>;
  elapsedMs(): number;
}

/** What a clock is told. */
export interface WorkClockOptions {
  readonly now: () => number;
  /** How long the turn may work. */
  readonly maxMs: number;
  /** Called when that is reached, in the middle of whatever runs. */
  onLimit(): void;
}

/** The longest wait that a timer can hold. */
const MAX_TIMER_MS = 2_147_483_647;

/** A clock that stands still until something is measured; what runs side by side counts once. */
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
