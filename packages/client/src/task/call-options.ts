/** Options of every method that sends a request. */
export interface CallOptions {
  /**
   * Aborts the wait of this client. A call rejects with the reason of the signal, and a loop ends. The
   * agent continues to work.
   */
  readonly signal?: AbortSignal;
}
