/** A signal that follows another for a while. */
export interface FollowingSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Follows a signal until disposed of. For those who never take their listeners off, as the SDK: the
 * long-lived signal keeps none. (`AbortSignal.any` would be kept for as long as it has listeners.)
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
