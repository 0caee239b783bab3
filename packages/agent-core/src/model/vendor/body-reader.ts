import type { IncomingMessage } from "node:http";

/** Reads the body of a response. */
export interface BodyReader {
  /** Resolves with the bytes that have arrived, or waits for more. Undefined at the end of the body. */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the socket, or keeps it for the next request if the whole body has arrived. */
  close(): void;
}

/** Opens a reader. It takes less CPU time for each chunk than the async iterator of `IncomingMessage`. */
export function openBodyReader(body: IncomingMessage): BodyReader {
  let wake = () => {};
  for (const event of ["readable", "end", "error", "close"]) body.on(event, () => wake());
  return {
    async read() {
      for (;;) {
        const bytes: Buffer | null = body.read();
        if (bytes !== null) return bytes;
        if (body.readableEnded) return undefined;
        if (body.errored !== null) throw body.errored;
        if (body.destroyed) throw new Error("the response was closed");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close() {
      if (body.complete) body.resume();
      else body.destroy();
    },
  };
}
