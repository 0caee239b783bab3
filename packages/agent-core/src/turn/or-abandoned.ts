/** How long something may take to stop once its turn is stopped. */
const GRACE_MS = 10_000;

/** Work of a tool or a model; one that does not stop when it is told to is not waited for for ever. */
export async function orAbandoned<TResult>(
  work: Promise<TResult>,
  signal: AbortSignal,
): Promise<TResult> {
  let giveUp: NodeJS.Timeout | undefined;
  let startWaiting = () => {};
  const abandoned = new Promise<never>((_resolve, reject) => {
    startWaiting = () => {
      giveUp = setTimeout(() => reject(new Error("it did not stop when it was told to")), GRACE_MS);
    };
  });
  if (signal.aborted) startWaiting();
  signal.addEventListener("abort", startWaiting);
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    clearTimeout(giveUp);
    signal.removeEventListener("abort", startWaiting);
  }
}
