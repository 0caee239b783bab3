import type { JsonObject } from "@dt/schema";
import { parseRpcResponse, rpcRequest } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import { decodeSse } from "./sse-decoder.js";

/** One result of a stream, and its cursor where it has one. */
export interface StreamResult {
  readonly result: unknown;
  readonly cursor: string | undefined;
}

/** How a request reaches the agent. */
export interface Transport {
  /** One request, one result. */
  call(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown>;
  /** One request, many results; `after` is the cursor to go on from. Ending the loop hangs up. */
  stream(
    method: string,
    params: JsonObject,
    options: { readonly after?: string | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<StreamResult>;
}

/** What the HTTP transport needs. */
export interface HttpTransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

/** JSON-RPC over HTTP, streams as server-sent events. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  let requests = 0;

  async function post(
    method: string,
    params: JsonObject,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    requests += 1;
    try {
      return await options.fetch(options.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...options.headers, ...headers },
        body: JSON.stringify(rpcRequest(requests, method, params)),
        ...(signal !== undefined && { signal }),
      });
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw new TransportError("unreachable", `${options.url} cannot be reached`, { cause });
    }
  }

  return {
    async call(method, params, signal) {
      const response = await post(method, params, { Accept: "application/json" }, signal);
      return parseRpcResponse(await readJson(response));
    },
    async *stream(method, params, { after, signal }) {
      const headers = {
        Accept: "text/event-stream",
        ...(after !== undefined && { "Last-Event-ID": after }),
      };
      const response = await post(method, params, headers, signal);
      const { body } = response;
      if (!isEventStream(response) || body === null) {
        // A refusal comes as plain JSON.
        parseRpcResponse(await readJson(response));
        throw new TransportError("unreadable", `${options.url} did not answer with a stream`);
      }
      for await (const { data, id } of decodeSse(chunksOf(body))) {
        yield { result: parseRpcResponse(parseJson(data)), cursor: id };
      }
    },
  };
}

// Browsers cannot iterate a body, so its reader is asked. Leaving the loop hangs up.
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new TransportError("closed", "the stream broke off", { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function isEventStream(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new TransportError("closed", "the answer broke off", { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { status } = response;
    throw new TransportError("unreadable", `the answer (HTTP ${status}) is not JSON`, {
      cause,
      status,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TransportError("unreadable", "an event of the stream is not JSON", { cause });
  }
}
