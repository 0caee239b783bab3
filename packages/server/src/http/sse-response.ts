import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { StreamFrame } from "@dt/schema/wire";

const HEARTBEAT_MS = 15_000;
/** What a response emits when it becomes a stream of events. */
export const STREAM_BEGINS = "stream-begins";
/** About how much is handed to the socket at a time. */
const CHUNK_BYTES = 64 * 1024;

/** What to write, and what stands around each frame. */
export interface SseOptions {
  readonly batches: AsyncIterable<readonly StreamFrame[]>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly heartbeatMs?: number | undefined;
}

/**
 * Writes a stream of results as server-sent events until it ends or the client is gone.
 *
 * While the socket is full nothing more is asked for, so a slow client costs what its socket and one
 * batch hold and no more.
 */
export async function sendSse(response: ServerResponse, options: SseOptions): Promise<void> {
  const { batches, signal, prefix = "", suffix = "", heartbeatMs } = options;
  if (!response.headersSent) openSse(response, heartbeatMs);
  for await (const frames of batches) {
    for (const { bytes, endsFrame } of chunksOf(frames, prefix, suffix)) {
      // A server that stops ends its streams by itself.
      if (signal.aborted || response.writableEnded) return;
      if (endsFrame) withinFrame.delete(response);
      else withinFrame.add(response);
      if (!response.write(bytes)) await drained(response, signal);
    }
  }
  response.end();
}

const withinFrame = new WeakSet<ServerResponse>();

/** Whether a frame of a stream is on its way and not whole yet: nothing else may be written then. */
export function isWithinFrame(response: ServerResponse): boolean {
  return withinFrame.has(response);
}

/** Some bytes of a stream, and whether a frame ends with them. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly endsFrame: boolean;
}

/** Sends headers and a first byte, and from then on signs of life while there is nothing else. */
export function openSse(response: ServerResponse, heartbeatMs = HEARTBEAT_MS): void {
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
  });
  response.write(": open\n\n");
  response.emit(STREAM_BEGINS);
  // A socket that is full needs no sign of life, and none may pile up in it.
  const heartbeat = setInterval(() => {
    const isFree = !response.writableNeedDrain && !isWithinFrame(response);
    if (isFree && !response.writableEnded) response.write(": heartbeat\n\n");
  }, heartbeatMs);
  response.once("close", () => clearInterval(heartbeat));
}

// Each frame goes into the chunk's bytes by itself: a text of them all would be copied once more. A
// frame that is larger than a chunk goes out in pieces, so that a reader that stalls holds one of them.
function* chunksOf(
  frames: readonly StreamFrame[],
  prefix: string,
  suffix: string,
): Generator<Chunk> {
  let chunk = Buffer.alloc(0);
  let used = 0;
  for (const { json, cursor } of frames) {
    const id = cursor === undefined ? "" : `id: ${cursor}\n`;
    const text = `${id}data: ${prefix}${json}${suffix}\n\n`;
    // UTF-8 takes at most three bytes for a unit of a string's length.
    const room = 3 * text.length;
    if (used + room > chunk.length) {
      if (used > 0) yield { bytes: chunk.subarray(0, used), endsFrame: true };
      used = 0;
      if (room > 3 * CHUNK_BYTES) {
        yield { bytes: Buffer.from(`${id}data: ${prefix}`), endsFrame: false };
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
    // A character of two units is not cut in two.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
    yield Buffer.from(text.slice(start, end));
    start = end;
  }
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (reason) {
    // The client went away while we waited: the stream ends quietly.
    if (!signal.aborted) throw reason;
  }
}
