/** Options of every call. */
export interface CallOptions {
  /** Aborts the wait: a call rejects with its reason, a loop ends. The agent continues to work. */
  readonly signal?: AbortSignal;
}
