import type { StopSignal } from "@dt/schema";

/** Limits of a wait for a reply. */
export interface ReplyWait {
  /** Name of the request, for the error. */
  readonly requestName: string;
  readonly timeoutMs: number;
  readonly signal: StopSignal;
}

/** Waits for a reply of the agent. Rejects if the reply does not come in time or the signal aborts. */
export async function waitForReply<TReply>(
  reply: Promise<TReply>,
  { requestName, timeoutMs, signal }: ReplyWait,
): Promise<TReply> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it did not answer ${requestName} within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    stop = () => reject(new Error(`${requestName} was cancelled`));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([reply, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
