/** A signal that aborts when another signal aborts. Disposing removes the listener from the other signal. */
export interface FollowingSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Creates a signal that aborts when `followed` aborts. The MCP SDK never removes its listeners, so a
 * long-lived signal must not be passed to the SDK. A signal of `AbortSignal.any` does not help, because it
 * stays in memory as long as it has listeners.
 */
export function followSignal(followed: AbortSignal): FollowingSignal {
  const own = new AbortController();
  const follow = () => own.abort(followed.reason);
  if (followed.aborted) follow();
  followed.addEventListener("abort", follow, { once: true });
  return {
    signal: own.signal,
    [Symbol.dispose]: () => followed.removeEventListener("abort", follow),
  };
}
