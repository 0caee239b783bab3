import { showControl } from "@dt/schema";

/** What is asked to stop. */
export interface Stoppable {
  close(options: { readonly graceMs: number }): Promise<void>;
}

/**
 * Closes once when the process is asked to stop, and then lets it end with 0. Asked twice, it ends at
 * once: what was not committed is lost, as after a crash.
 */
export function closeOnSignal(app: Stoppable, graceMs: number): void {
  let isClosing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // Asked twice: the person will not wait.
      if (isClosing) process.exit(1);
      isClosing = true;
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
