/** The result of some work, and how responsive the server was meanwhile. */
export interface WatchedWork<TResult> {
  readonly result: TResult;
  /** The statuses of consecutive `/health` requests during the work. */
  readonly statuses: readonly number[];
  /**
   * The most CPU time that passed between two ticks of a timer, in milliseconds, as a measure of how long the
   * event loop was blocked. It is not wall-clock time, which also passes while other processes run.
   */
  readonly blockedMs: number;
}

const TICK_MS = 5;

/** Runs some work, and requests `/health` of an in-process server repeatedly until the work is done. */
export async function watchHealth<TResult>(
  url: string,
  work: () => Promise<TResult>,
): Promise<WatchedWork<TResult>> {
  const statuses: number[] = [];
  let isDone = false;
  let blockedMs = 0;
  let last = process.cpuUsage();
  const ticking = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    blockedMs = Math.max(blockedMs, (user + system) / 1_000);
  }, TICK_MS);
  const polling = (async () => {
    do statuses.push((await fetch(`${url}health`)).status);
    while (!isDone);
  })();
  try {
    const result = await work();
    return { result, statuses, blockedMs };
  } finally {
    isDone = true;
    await polling;
    clearInterval(ticking);
  }
}
