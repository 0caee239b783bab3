import { findJson, isObject, isProtocolError, type JsonObject } from "@dt/schema";
import { parseRpcResponse, rpcRequest } from "@dt/schema/wire";
import type { Credentials } from "../access/credentials.js";
import { TransportError } from "../errors/transport-error.js";
import { type LinkedSignal, linkSignals, onAbort, untilAborted } from "./abort-signals.js";
import { checkLength, decodeSse } from "./sse-decoder.js";
import type { StreamResult, Transport } from "./transport.js";
import type { WallClock } from "./wall-clock.js";
import { startWatchdog, type Watchdog } from "./watchdog.js";

export type { StreamResult, Transport } from "./transport.js";

/** Options of the HTTP transport. */
export interface HttpTransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly credentials?: Credentials;
  /**
   * Time without a byte after which a request is aborted. Set this option only for agents that send
   * heartbeats. Default: no limit.
   */
  readonly silenceMs?: number | undefined;
  /** Method that close() calls, to notify the agent that this client has gone. */
  readonly lastMethod?: string;
  readonly now: WallClock;
}

/** Timeout of the call of `lastMethod`; `close` does not wait for that call. */
const LAST_CALL_TIMEOUT_MS = 2_000;

/** Creates a transport of JSON-RPC over HTTP, with streams as server-sent events. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const { url, credentials } = options;
  let requests = 0;

  async function request(body: string, headers: object, exchange: Exchange): Promise<Response> {
    const { signal } = exchange;
    for (let wasRefused = false; ; wasRefused = true) {
      const own = credentials && (await untilAborted(credentials.headers({ wasRefused }), signal));
      const init = {
        method: "POST",
        headers: { "Content-Type": "application/json", ...options.headers, ...headers, ...own },
        body,
        signal,
      };
      const response = await options.fetch(url, init).catch((cause: unknown) => {
        throw exchange.failure("unreachable", `${url} cannot be reached`, cause);
      });
      if (response.status !== 401 || wasRefused || credentials?.canRefresh !== true)
        return response;
      await response.body?.cancel();
    }
  }

  /** Opens the exchange of one request; the caller must close the exchange. */
  function openExchange(signal: AbortSignal | undefined): Exchange {
    return createExchange(linkSignals(signal), options);
  }

  function bodyOf(method: string, params: JsonObject): string {
    requests += 1;
    return JSON.stringify(rpcRequest(requests, method, params));
  }

  /**
   * Reads a frame. If the frame says that the token has expired, throws an error: a retryable error if
   * another token can be fetched, else a refusal.
   */
  function readFrame(data: string): unknown {
    try {
      return parseRpcResponse(parseJson(data));
    } catch (cause) {
      if (!isProtocolError(cause) || cause.code !== "unauthenticated") throw cause;
      if (credentials?.canRefresh === true)
        throw new TransportError("closed", cause.message, { cause });
      throw refusalOf(401, { error: { message: cause.message } });
    }
  }

  const transport: Transport = {
    async call(method, params, signal) {
      const exchange = openExchange(signal);
      try {
        const headers = { Accept: "application/json" };
        return await readReply(await request(bodyOf(method, params), headers, exchange), exchange);
      } finally {
        exchange.close();
      }
    },
    async *stream(method, params, { after, signal, onOpen }) {
      const exchange = openExchange(signal);
      try {
        const headers = {
          Accept: "text/event-stream",
          ...(after !== undefined && { "Last-Event-ID": after }),
        };
        const response = await request(bodyOf(method, params), headers, exchange);
        const { body } = response;
        if (!isEventStream(response) || body === null) {
          // A refusal arrives as plain JSON, and so does the reply of an agent that does not
          // stream.
          yield { result: await readReply(response, exchange), cursor: undefined };
          return;
        }
        onOpen?.();
        for await (const { data, id } of decodeSse(chunksOf(body, exchange))) {
          yield { result: readFrame(data), cursor: id } satisfies StreamResult;
        }
      } finally {
        exchange.close();
      }
    },
    close() {
      // The error is ignored. If the call does not reach the agent, the agent notices later that this
      // client is silent.
      if (options.lastMethod)
        transport
          .call(options.lastMethod, {}, AbortSignal.timeout(LAST_CALL_TIMEOUT_MS))
          .catch(() => {});
    },
  };
  return transport;
}

/** One request and its response. The caller can abort it, and it aborts itself after too long a silence. */
interface Exchange extends Pick<Watchdog, "touch" | "pause"> {
  readonly signal: AbortSignal;
  /** Returns the error to throw: the reason of an abort, else a TransportError. */
  failure(reason: "unreachable" | "closed", message: string, cause: unknown): unknown;
  close(): void;
}

function createExchange(link: LinkedSignal, { silenceMs, now }: HttpTransportOptions): Exchange {
  const { signal } = link;
  const onSilence = () =>
    link.abort(new TransportError("closed", `nothing came for ${silenceMs} ms`));
  const watchdog = startWatchdog(silenceMs, onSilence, now);
  return {
    signal,
    touch: watchdog.touch,
    pause: watchdog.pause,
    failure: (reason, message, cause) =>
      signal.aborted ? signal.reason : new TransportError(reason, message, { cause }),
    close() {
      watchdog.stop();
      link.release();
    },
  };
}

// Yields the chunks of a body. A reader is used, because browsers cannot iterate a body. Ending the
// iteration early closes the connection.
async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  // A custom `fetch` might leave the body open when its signal aborts.
  const stop = onAbort(exchange.signal, () => void reader.cancel().catch(() => {}));
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw exchange.failure("closed", "the stream broke off", cause);
      });
      exchange.signal.throwIfAborted();
      if (done) return;
      // Time that the consumer spends on a chunk does not count as silence.
      exchange.pause();
      yield value;
      exchange.touch();
    }
  } finally {
    stop();
    await reader.cancel().catch(() => {});
  }
}

function isEventStream(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
}

async function readReply(response: Response, exchange: Exchange): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(response.body, exchange)) {
    text += decoder.decode(chunk, { stream: true });
    checkLength(text);
  }
  const json = findJson(text);
  const { status, ok } = response;
  const isRpcReply = isObject(json) && json.jsonrpc === "2.0";
  if (isRpcReply && status !== 401) return parseRpcResponse(json);
  if (!ok) throw refusalOf(status, json);
  throw new TransportError(
    "unreadable",
    `the response (HTTP ${status}) is not JSON-RPC, or too deep`,
    {
      status,
    },
  );
}

function refusalOf(status: number, json: unknown): TransportError {
  const detail = isObject(json) && isObject(json.error) ? `: ${json.error.message}` : "";
  const advice = status === 401 || status === 403 ? "; pass a valid `token` to connect()" : "";
  return new TransportError("refused", `the agent answered HTTP ${status}${detail}${advice}`, {
    status,
  });
}

function parseJson(text: string): unknown {
  const json = findJson(text);
  if (json !== undefined) return json;
  throw new TransportError("unreadable", "a stream event is not JSON, or too deep");
}
