import type { ServerWritableStream } from "@grpc/grpc-js";

/** Number of buffered bytes at which a stream waits for its client. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/**
 * Creates the function that sends the messages of a stream. If too many bytes are buffered, the function returns a
 * promise, and the caller waits for it before the next message. A client that never reads therefore costs only the
 * buffer and one message.
 */
export function createCallWriter(
  call: Pick<ServerWritableStream<Buffer, Buffer>, "write">,
  signal: AbortSignal,
): (bytes: Buffer) => Promise<void> | undefined {
  let buffered = 0;
  let resume = () => {};
  // The abort ends the wait, because the library never calls the callbacks of `write` after a call has ended.
  signal.addEventListener("abort", () => resume());
  return (bytes) => {
    buffered += bytes.length;
    call.write(bytes, () => {
      buffered -= bytes.length;
      if (buffered < MAX_BUFFERED_BYTES) resume();
    });
    if (buffered < MAX_BUFFERED_BYTES || signal.aborted) return undefined;
    return new Promise<void>((resolve) => {
      resume = resolve;
    });
  };
}
