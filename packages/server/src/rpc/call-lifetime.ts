/** The time in which a call may go on. */
export interface CallLifetime {
  /** Aborts when the client is gone or its access has ended. */
  readonly signal: AbortSignal;
  /** Aborts with the error for the client when the caller's grant ends; undefined before {@link endWith}. */
  readonly grant: AbortSignal | undefined;
  /** Throws the error for the client if the caller's token or grant has ended. */
  checkAccess(): void;
  /**
   * Ends the call when the caller's grant on the session ends. `watch` gets a signal that aborts when the
   * call is over. It returns a signal that aborts with the error for the client when the grant ends.
   */
  endWith(watch: (over: AbortSignal) => AbortSignal): void;
  /** Stops following the grant. Call it when the call is over. */
  close(): void;
}

/** Signals that end a call. */
export interface CallSignals {
  /** Aborts when the client is gone, or when its credential has ended. */
  readonly signal: AbortSignal;
  /** Aborts when the caller's token has ended, with the error for the client. Absent for callers without a token. */
  readonly ended?: AbortSignal | undefined;
}

/** Opens the lifetime of a call. */
export function openCallLifetime({ signal, ended }: CallSignals): CallLifetime {
  return new SignalLifetime(signal, ended);
}

/** This is a class, because every call has a lifetime, and closures would need more memory. */
class SignalLifetime implements CallLifetime {
  private readonly stop = new AbortController();
  private readonly credential: AbortSignal | undefined;
  grant: AbortSignal | undefined;
  // Created only for guests, because most callers are owners.
  private over: AbortController | undefined;

  constructor(gone: AbortSignal, credential: AbortSignal | undefined) {
    this.credential = credential;
    if (gone.aborted) this.stop.abort(gone.reason);
    gone.addEventListener("abort", () => {
      this.stop.abort(gone.reason);
      this.close();
    });
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  checkAccess(): void {
    this.credential?.throwIfAborted();
    this.grant?.throwIfAborted();
  }

  endWith(watch: (over: AbortSignal) => AbortSignal): void {
    // A call uses one session, so only the first `watch` counts.
    if (this.over !== undefined) return;
    const over = new AbortController();
    const grant = watch(over.signal);
    const onEnd = () => this.stop.abort(grant.reason);
    grant.addEventListener("abort", onEnd);
    over.signal.addEventListener("abort", () => grant.removeEventListener("abort", onEnd));
    this.over = over;
    this.grant = grant;
    if (this.stop.signal.aborted) this.close();
  }

  close(): void {
    this.over?.abort();
  }
}
