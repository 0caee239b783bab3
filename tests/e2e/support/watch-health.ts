/** How a server answered others while it worked. */
export interface WatchedWork<TResult> {
  readonly result: TResult;
  /** The statuses of `/health` that were asked for meanwhile, one after the other. */
  readonly statuses: readonly number[];
  /**
   * The longest time that the event loop was held, in milliseconds of the processor: on a busy machine
   * time passes on the clock while nothing is done.
   */
  readonly heldMs: number;
}

const TICK_MS = 5;

/** Asks a server of this process for its health, again and again, until some work is done. */
export async function watchHealth<TResult>(
  url: string,
  work: () => Promise<TResult>,
): Promise<WatchedWork<TResult>> {
  const statuses: number[] = [];
  let isDone = false;
  let heldMs = 0;
  let last = process.cpuUsage();
  const ticking = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    heldMs = Math.max(heldMs, (user + system) / 1_000);
  }, TICK_MS);
  const asking = (async () => {
    do statuses.push((await fetch(`${url}health`)).status);
    while (!isDone);
  })();
  try {
    const result = await work();
    return { result, statuses, heldMs };
  } finally {
    isDone = true;
    await asking;
    clearInterval(ticking);
  }
}
