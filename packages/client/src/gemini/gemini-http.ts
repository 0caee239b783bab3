import { findJson, type JsonObject } from "@dt/schema";
import { GEMINI_SPELLING } from "@dt/schema/gemini";
import { type A2aFrame, parseRpcResponse } from "@dt/schema/wire";
import type { Credentials } from "../access/credentials.js";
import { TransportError } from "../errors/transport-error.js";
import { createLineReader } from "../transport/sse-decoder.js";
import type { Transport } from "../transport/transport.js";

/**
 * Time after a request until its connection is counted as free. A platform may notice late that a
 * connection is free, and open another connection in the meantime.
 */
const RELEASE_DELAY_MS = 50;

/** Dependencies of requests to gemini-cli's server. */
export interface GeminiHttpOptions {
  readonly transport: Transport;
  /** Address at which the card was found. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly fetch: typeof globalThis.fetch;
}

/** Sends requests to gemini-cli's server, and counts the connections that these requests may have left open. */
export interface GeminiHttp {
  stream(method: string, params: JsonObject, signal: AbortSignal): AsyncGenerator<A2aFrame>;
  call(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown>;
  /** Calls a route that is not JSON-RPC, with `GET` if there is no body, else with `POST`. */
  route(path: string, body?: JsonObject, signal?: AbortSignal): Promise<RouteAnswer>;
  /**
   * Number of connections that may be idle: the largest number that was in use at the same time, minus the
   * number in use now.
   */
  readonly idle: number;
}

/** Response of a route: JSON, or a stream of frames. */
export type RouteAnswer =
  | { readonly type: "json"; readonly status: number; readonly json: unknown }
  | { readonly type: "frames"; readonly frames: AsyncGenerator<A2aFrame> };

/** Creates the sender of one client's requests. No connection is opened yet. */
export function createGeminiHttp(options: GeminiHttpOptions): GeminiHttp {
  const { transport, fetch, credentials } = options;
  const base = options.url.endsWith("/") ? options.url : `${options.url}/`;
  let inUse = 0;
  let mostInUse = 0;

  /** Counts a connection as in use; returns a function that counts it as free again. */
  function occupy(): () => void {
    inUse += 1;
    mostInUse = Math.max(mostInUse, inUse);
    return () => setTimeout(() => (inUse -= 1), RELEASE_DELAY_MS);
  }

  // The request for the card has already opened a connection, which is counted here.
  occupy()();

  return {
    get idle() {
      return mostInUse - inUse;
    },
    async *stream(method, params, signal) {
      const release = occupy();
      try {
        for await (const { result } of transport.stream(method, params, { signal })) {
          yield GEMINI_SPELLING.decodeFrame(result, "result");
        }
      } finally {
        release();
      }
    },
    async call(method, params, signal) {
      const release = occupy();
      try {
        return await transport.call(method, params, signal);
      } finally {
        release();
      }
    },
    async route(path, body, signal) {
      const address = new URL(path, base);
      const own = await credentials.headers({ wasRefused: false });
      const release = occupy();
      const response = await fetch(address, {
        headers: { ...options.headers, ...own, "Content-Type": "application/json" },
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      }).catch((cause: unknown) => {
        release();
        if (signal?.aborted === true) throw cause;
        throw new TransportError("unreachable", `${address} cannot be reached`, { cause });
      });
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (isStream === true && response.body !== null) {
        return { type: "frames", frames: framesOf(response.body, release) };
      }
      const text = await response.text().finally(release);
      return { type: "json", status: response.status, json: parseJson(text, response.status) };
    },
  };
}

// Reads the frames of a stream. The server ends an event with one newline instead of two, so each
// line is an event.
async function* framesOf(
  body: ReadableStream<Uint8Array>,
  release: () => void,
): AsyncGenerator<A2aFrame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const readLines = createLineReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new TransportError("closed", "the stream broke off", { cause });
      });
      const text = decoder.decode(value, { stream: !done });
      for (const line of readLines(done ? `${text}\n` : text)) {
        if (!line.startsWith("data:")) continue;
        const result = parseRpcResponse(parseJson(line.slice("data:".length), 200));
        yield GEMINI_SPELLING.decodeFrame(result, "result");
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
    release();
  }
}

function parseJson(text: string, status: number): unknown {
  const json = findJson(text);
  if (json !== undefined) return json;
  throw new TransportError("unreadable", `the response (HTTP ${status}) is not JSON, or too deep`, {
    status,
  });
}
