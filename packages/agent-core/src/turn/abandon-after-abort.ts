/** Time that a tool, a model or an external agent gets to stop after its turn was aborted. */
const GRACE_MS = 10_000;

/**
 * Waits for the work of a tool, a model or an external agent. Rejects if the work has not stopped 10 seconds
 * after the signal aborted.
 */
export async function abandonAfterAbort<TResult>(
  work: Promise<TResult>,
  signal: AbortSignal,
): Promise<TResult> {
  let timer: NodeJS.Timeout | undefined;
  let startWaiting = () => {};
  const abandoned = new Promise<never>((_resolve, reject) => {
    startWaiting = () => {
      timer = setTimeout(
        () => reject(new Error("the tool, model or agent did not stop after the turn was aborted")),
        GRACE_MS,
      );
    };
  });
  if (signal.aborted) startWaiting();
  signal.addEventListener("abort", startWaiting);
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", startWaiting);
  }
}
