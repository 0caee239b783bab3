import { onAbort } from "./on-abort.js";

/** What a promise gives, or the reason of a signal that aborts before. */
export async function untilAborted<TValue>(
  promise: Promise<TValue>,
  signal: AbortSignal | undefined,
): Promise<TValue> {
  if (signal === undefined) return await promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}
