import type { StopSignal } from "@dt/schema";

/** Converts a {@link StopSignal} into an AbortSignal of the platform. */
export function toAbortSignal(stop: StopSignal): AbortSignal {
  if (stop instanceof AbortSignal) return stop;
  if (stop.aborted) return AbortSignal.abort();
  const linked = new AbortController();
  const onAbort = () => {
    stop.removeEventListener("abort", onAbort);
    linked.abort();
  };
  stop.addEventListener("abort", onAbort);
  return linked.signal;
}
