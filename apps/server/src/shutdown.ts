/** Closes once when the process is asked to stop, and then lets it end. */
export function closeOnSignal(app: { close(): Promise<void> }): void {
  let isClosing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // Asked twice: the person will not wait.
      if (isClosing) process.exit(1);
      isClosing = true;
      app.close().then(
        () => process.exit(0),
        (reason: unknown) => {
          console.error(reason);
          process.exit(1);
        },
      );
    });
  }
}
