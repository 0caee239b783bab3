import type { StopSignal } from "@dt/schema";

/** The platform's signal of a {@link StopSignal}; the same object if it is one. */
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
