import { showControl } from "@dt/schema";

/** Something that can be stopped. */
export interface Stoppable {
  close(options: { readonly graceMs: number }): Promise<void>;
}

/**
 * Closes the app on the first signal and then exits with 0. A second signal exits at once with 1; work that
 * is not committed is lost then, as after a crash.
 */
export function closeOnSignal(app: Stoppable, graceMs: number): void {
  let isClosing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
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
