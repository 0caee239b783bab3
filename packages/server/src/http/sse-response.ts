import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { StreamFrame } from "@dt/schema/wire";

/** Default interval of heartbeats. */
export const HEARTBEAT_MS = 15_000;
/** Name of the event that a response emits when it becomes a stream. */
export const STREAM_BEGINS = "stream-begins";
/** Approximate number of bytes in one write to the socket. */
const CHUNK_BYTES = 64 * 1024;

/** Options of {@link sendSse}. */
export interface SseOptions {
  readonly batches: AsyncIterable<readonly StreamFrame[]>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly heartbeatMs?: number | undefined;
}

/**
 * Writes a stream of results as server-sent events until it ends or the client is gone. While the socket is full, no
 * batch is pulled, so a slow client costs only the buffer of its socket and one batch.
 */
export async function sendSse(response: ServerResponse, options: SseOptions): Promise<void> {
  const { batches, signal, prefix = "", suffix = "", heartbeatMs } = options;
  if (!response.headersSent) openSse(response, heartbeatMs);
  for await (const frames of batches) {
    for (const { bytes, endsFrame } of chunksOf(frames, prefix, suffix)) {
      // A stopping server may have ended the response.
      if (signal.aborted || response.writableEnded) return;
      if (endsFrame) WITHIN_FRAME.delete(response);
      else WITHIN_FRAME.add(response);
      if (!response.write(bytes)) await waitForDrain(response, signal);
    }
  }
  response.end();
}

const WITHIN_FRAME = new WeakSet<ServerResponse>();

/** Returns true if a frame is only partly written. The rest of the frame must be written before anything else. */
export function isWithinFrame(response: ServerResponse): boolean {
  return WITHIN_FRAME.has(response);
}

/** A part of a stream. `endsFrame` is true if its last byte is the last byte of a frame. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly endsFrame: boolean;
}

/** Sends headers and a first comment, then heartbeats. */
export function openSse(response: ServerResponse, heartbeatMs = HEARTBEAT_MS): void {
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
  });
  response.write(": open\n\n");
  response.emit(STREAM_BEGINS);
  // No heartbeat is written while the socket is full, because the heartbeat would stay in memory. No heartbeat is
  // written within a frame, because it would break the frame.
  const heartbeat = setInterval(() => {
    const isFree = !response.writableNeedDrain && !isWithinFrame(response);
    if (isFree && !response.writableEnded) response.write(": heartbeat\n\n");
  }, heartbeatMs);
  response.once("close", () => clearInterval(heartbeat));
}

// Writes frames into chunks of bytes. Each frame is written directly into a chunk, because joining the texts
// of frames first would copy them again. A frame larger than a chunk is encoded in pieces, so that only one
// encoded piece is in memory while a client reads nothing.
function* chunksOf(
  frames: readonly StreamFrame[],
  prefix: string,
  suffix: string,
): Generator<Chunk> {
  let chunk = Buffer.alloc(0);
  let used = 0;
  for (const { json, cursor, event } of frames) {
    const id = cursor === undefined ? "" : `id: ${cursor}\n`;
    const head = event === undefined ? id : `${id}event: ${event}\n`;
    const text = `${head}data: ${prefix}${json}${suffix}\n\n`;
    // UTF-8 needs at most three bytes per UTF-16 unit.
    const room = 3 * text.length;
    if (used + room > chunk.length) {
      if (used > 0) yield { bytes: chunk.subarray(0, used), endsFrame: true };
      used = 0;
      if (room > 3 * CHUNK_BYTES) {
        yield { bytes: Buffer.from(`${head}data: ${prefix}`), endsFrame: false };
        for (const bytes of piecesOf(json)) yield { bytes, endsFrame: false };
        yield { bytes: Buffer.from(`${suffix}\n\n`), endsFrame: true };
        chunk = Buffer.alloc(0);
        continue;
      }
      chunk = Buffer.allocUnsafe(Math.max(room, Math.min(CHUNK_BYTES, room * frames.length)));
    }
    used += chunk.write(text, used);
  }
  if (used > 0) yield { bytes: chunk.subarray(0, used), endsFrame: true };
}

function* piecesOf(text: string): Generator<Uint8Array> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + CHUNK_BYTES, text.length);
    // A surrogate pair must not be split.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
    yield Buffer.from(text.slice(start, end));
    start = end;
  }
}

async function waitForDrain(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (reason) {
    // The client is gone, so the stream ends without an error.
    if (!signal.aborted) throw reason;
  }
}
