import { once } from "node:events";
import type { RpcId } from "@dt/schema/wire";
import type { Response } from "express";
import type { StreamFrame } from "../rpc/rpc-context.js";

const HEARTBEAT_MS = 15_000;

/**
 * Writes a stream of results as server-sent events until it ends or the client is gone.
 *
 * Headers go out at once. A batch is one write; when the socket is full the next batch is not asked
 * for, so a slow client costs what its socket holds and no more.
 */
export async function sendSse(
  response: Response,
  id: RpcId,
  batches: AsyncIterable<readonly StreamFrame[]>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
  });
  response.flushHeaders();
  const prefix = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const heartbeat = setInterval(() => response.write(": heartbeat\n\n"), HEARTBEAT_MS);
  try {
    for await (const frames of batches) {
      const isFull = !response.write(frames.map((frame) => encodeFrame(frame, prefix)).join(""));
      if (isFull && !signal.aborted) await drained(response, signal);
      if (signal.aborted) return;
    }
    response.end();
  } finally {
    clearInterval(heartbeat);
  }
}

function encodeFrame({ json, cursor }: StreamFrame, prefix: string): string {
  const id = cursor === undefined ? "" : `id: ${cursor}\n`;
  return `${id}data: ${prefix}${json}}\n\n`;
}

async function drained(response: Response, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (reason) {
    // The client went away while we waited: the stream ends quietly.
    if (!signal.aborted) throw reason;
  }
}
