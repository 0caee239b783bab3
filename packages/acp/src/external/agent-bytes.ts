import type { AgentProcess } from "@dt/schema";
import type { PeerBytes } from "../stdio/json-line-stream.js";

/** Returns the input and output of a process as byte streams, which read only on demand. */
export function toPeerBytes({ output, write }: AgentProcess): PeerBytes {
  const pieces = output[Symbol.asyncIterator]();
  return {
    input: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
        async cancel() {
          await pieces.return?.();
        },
      },
      { highWaterMark: 0 },
    ),
    output: new WritableStream<Uint8Array>({ write }),
  };
}
