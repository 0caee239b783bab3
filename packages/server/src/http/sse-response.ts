import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { StreamFrame } from "../rpc/rpc-context.js";

const HEARTBEAT_MS = 15_000;
/** About how much is handed to the socket at a time. */
const CHUNK_LENGTH = 64 * 1024;

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
 * Headers and a first byte go out at once. While the socket is full nothing more is asked for, so a
 * slow client costs what its socket and one batch hold and no more.
 */
export async function sendSse(response: ServerResponse, options: SseOptions): Promise<void> {
  const { batches, signal, prefix = "", suffix = "", heartbeatMs = HEARTBEAT_MS } = options;
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
  });
  response.write(": open\n\n");
  // A socket that is full needs no sign of life, and none may pile up in it.
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain && !response.writableEnded) response.write(": heartbeat\n\n");
  }, heartbeatMs);
  try {
    for await (const frames of batches) {
      for (const chunk of chunksOf(frames, prefix, suffix)) {
        // A server that stops ends its streams by itself.
        if (signal.aborted || response.writableEnded) return;
        if (!response.write(chunk)) await drained(response, signal);
      }
    }
    response.end();
  } finally {
    clearInterval(heartbeat);
  }
}

function* chunksOf(
  frames: readonly StreamFrame[],
  prefix: string,
  suffix: string,
): Generator<string> {
  let chunk = "";
  for (const { json, cursor } of frames) {
    const id = cursor === undefined ? "" : `id: ${cursor}\n`;
    chunk += `${id}data: ${prefix}${json}${suffix}\n\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (reason) {
    // The client went away while we waited: the stream ends quietly.
    if (!signal.aborted) throw reason;
  }
}
