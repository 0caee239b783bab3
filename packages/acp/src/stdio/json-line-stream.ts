import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { createLineSplitter } from "./line-splitter.js";
import { createPendingRequests } from "./pending-requests.js";
import { type ReadMessage, readMessage } from "./read-message.js";

/** Limits on what a peer sends. */
export interface LineLimits {
  /** Maximum number of bytes of a line. A longer line is skipped, and its request is refused. */
  readonly maxLineBytes: number;
  /** Maximum number of requests of the peer that wait for an answer. Further requests are refused. */
  readonly maxPendingRequests: number;
}

/** Limits that allow a few large images in one prompt. */
export const DEFAULT_LINE_LIMITS: LineLimits = {
  maxLineBytes: 32 * 1024 * 1024,
  maxPendingRequests: 256,
};

/** The two byte streams between us and a peer. */
export interface PeerBytes {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
}

/**
 * Turns byte streams into a stream of messages for a connection of the official SDK: one JSON object per line.
 * A line that is not a valid message is answered with an error, and the stream continues. A line is handled
 * only when the connection asks for its next message and every earlier error has been written to the peer.
 */
export function openJsonLines(
  { input, output }: PeerBytes,
  limits: LineLimits = DEFAULT_LINE_LIMITS,
): Stream {
  const reader = input.getReader();
  const writer = output.getWriter();
  const pending = createPendingRequests(limits.maxPendingRequests);
  const encoder = new TextEncoder();
  const write = (message: unknown) => writer.write(encoder.encode(`${JSON.stringify(message)}\n`));

  async function* messages(): AsyncGenerator<AnyMessage, void, undefined> {
    for await (const read of readMessages(reader, limits.maxLineBytes)) {
      if (read.type === "refused") await write(read.reply);
      else {
        const refusal = read.type === "message" ? pending.admit(read.message) : undefined;
        if (refusal === undefined) yield read.message;
        else await write(refusal);
      }
    }
  }

  const incoming = messages();
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        async pull(controller) {
          const next = await incoming.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
        // A pending read ends, and with it the loop over the messages.
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        try {
          await write(message);
        } finally {
          pending.release(message);
        }
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

async function* readMessages(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<ReadMessage, void, undefined> {
  const splitter = createLineSplitter(maxLineBytes);
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    for (const line of splitter.push(next.value)) yield readMessage(line, maxLineBytes);
  }
  const last = splitter.end();
  if (last !== undefined) yield readMessage(last, maxLineBytes);
}
