import { showControl } from "@dt/schema";

/** An app that a signal can stop. */
export interface Stoppable {
  /** Number of running turns. Closing waits for them. */
  countTurns(): number;
  close(options: { readonly graceMs: number }): Promise<void>;
}

/**
 * Closes the app on the first signal and then exits with 0. If turns still run, prints a line that explains
 * the wait. A second signal exits at once with 1; work that is not committed is then lost.
 */
export function closeOnSignal(app: Stoppable, graceMs: number): void {
  let isClosing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isClosing) process.exit(1);
      isClosing = true;
      const turns = app.countTurns();
      if (turns > 0 && graceMs > 0) console.error(describeWait(turns, graceMs));
      app.close({ graceMs }).then(
        () => process.exit(0),
        (reason: unknown) => {
          const fault = reason instanceof Error ? reason.stack : undefined;
          console.error(showControl(fault ?? String(reason)));
          process.exit(1);
        },
      );
    });
  }
}

function describeWait(turns: number, graceMs: number): string {
  const waiting = turns === 1 ? "1 turn" : `${turns} turns`;
  return `stopping: waiting for ${waiting}, at most ${graceMs / 1_000} s; press Ctrl-C again to stop now`;
}
