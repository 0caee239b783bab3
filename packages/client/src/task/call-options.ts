/** Options of every call. */
export interface CallOptions {
  /** Aborts: the call rejects with the signal's reason, and a loop ends. The agent continues to work. */
  readonly signal?: AbortSignal;
}
