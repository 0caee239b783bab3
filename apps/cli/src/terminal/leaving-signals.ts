/** The signals that ask the program to leave. */
export interface LeavingSignals {
  /** Exit code of the first signal; undefined before the first signal. */
  readonly exitCode: number | undefined;
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
}

/** Exit codes that shells use for these signals. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Watches for signals until the process ends, so that the session is closed even if dt is still starting.
 * A second SIGINT or a second SIGTERM ends the process at once. A second SIGHUP has no effect, because
 * terminals send SIGHUP several times.
 */
export function watchLeavingSignals(): LeavingSignals {
  const leaving = new AbortController();
  let exitCode: number | undefined;
  for (const [name, code] of Object.entries(EXIT_CODES)) {
    const onSignal = () => {
      exitCode ??= code;
      leaving.abort();
    };
    if (name === "SIGHUP") process.on(name, onSignal);
    else process.once(name, onSignal);
  }
  return {
    get exitCode() {
      return exitCode;
    },
    signal: leaving.signal,
  };
}
