/** What every call takes. */
export interface CallOptions {
  /** Gives up: the call rejects with the signal's reason, a loop ends. The agent works on. */
  readonly signal?: AbortSignal;
}
