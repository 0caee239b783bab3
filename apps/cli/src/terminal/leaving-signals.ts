/** The signals that ask the program to leave, from when on they are watched. */
export interface LeavingSignals {
  /** The exit code of the first that came; undefined before one did. */
  readonly exitCode: number | undefined;
  /** Aborts with the first. */
  readonly signal: AbortSignal;
}

/** What a shell calls the end by a signal, and so do we. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Watches for signals as long as the process is there: what was opened is to be closed, also where
 * nothing is drawn yet. A second one ends it at once, but for SIGHUP: terminals send several.
 */
export function watchLeavingSignals(): LeavingSignals {
  const leaving = new AbortController();
  let exitCode: number | undefined;
  for (const [name, code] of Object.entries(exitCodes)) {
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
