import { findJson, isObject, type JsonObject } from "@dt/schema";
import { parseRpcResponse, rpcRequest } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import { onAbort, untilAborted } from "./abort-signals.js";
import {
  createFrameQueue,
  DEFAULT_QUEUE_BOUNDS,
  type FrameQueue,
  type QueueBounds,
} from "./frame-queue.js";
import { type OpenSocket, openSocket } from "./open-socket.js";
import { type Pinging, startPinging } from "./pinging.js";
import { findRejected } from "./rejected-request.js";
import type { StreamResult, Transport } from "./transport.js";
import type { WallClock } from "./wall-clock.js";
import type { WebSocketConstructor } from "./web-socket.js";

/** Address and subprotocols of a socket. */
export interface SocketAddress {
  readonly url: string;
  readonly protocols: readonly string[];
}

/** Options of the WebSocket transport. */
export interface WsTransportOptions {
  readonly WebSocket: WebSocketConstructor;
  /** Called before each socket is opened, and once more if the agent refused the credentials. */
  address(wasRefused: boolean): Promise<SocketAddress>;
  /** Allowed time of silence while a reply is expected. */
  readonly silenceMs: number;
  readonly bounds?: QueueBounds;
  readonly now: WallClock;
  /**
   * Called when a socket did not open. Throws if the agent refuses this client for good; resolves
   * to true if the agent refused the old credentials and accepted newer ones.
   */
  probe?(signal: AbortSignal): Promise<boolean>;
}

/** A transport over a socket. The socket is opened on demand, and opened again after every break. */
export interface WsTransport extends Transport {
  /** Opens the socket now. */
  open(signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** Maximum length of a frame, which is far longer than any message of an agent. */
const MAX_FRAME_LENGTH = 64 * 1024 * 1024;

/** Timeout of the handshake. */
const HANDSHAKE_TIMEOUT_MS = 15_000;

/** Creates a transport of JSON-RPC over one WebSocket. Ids distinguish concurrent requests. */
export function createWsTransport(options: WsTransportOptions): WsTransport {
  const { bounds = DEFAULT_QUEUE_BOUNDS } = options;
  const closing = new AbortController();
  let connecting: Promise<Connection> | undefined;

  function connect(): Promise<Connection> {
    const opening = openConnection(options, closing.signal);
    const forget = () => {
      if (connecting === opening) connecting = undefined;
    };
    opening.then(({ closed }) => closed.then(forget), forget);
    return opening;
  }

  async function* exchange(
    method: string,
    params: JsonObject,
    { signal, onOpen, isUnary = false }: ExchangeOptions,
  ): AsyncGenerator<StreamResult, void, undefined> {
    connecting ??= connect();
    const connection = await untilAborted(connecting, signal);
    onOpen?.();
    const queue = createFrameQueue(bounds);
    const stop = signal && onAbort(signal, () => queue.end(signal.reason));
    const leave = connection.request({ method, params, queue, isUnary });
    try {
      for (;;) {
        const frame = await queue.take();
        if (frame === undefined) return;
        signal?.throwIfAborted();
        yield frame;
      }
    } finally {
      stop?.();
      leave();
    }
  }

  return {
    async call(method, params, signal) {
      for await (const { result } of exchange(method, params, { signal, isUnary: true }))
        return result;
      throw new TransportError("closed", "the agent ended the request without an answer");
    },
    stream: (method, params, { after, ...rest }) =>
      exchange(method, after === undefined ? params : { ...params, after }, rest),
    async open(signal) {
      connecting ??= connect();
      await untilAborted(connecting, signal);
    },
    close: () => closing.abort(new TransportError("closed", "this client was closed")),
  };
}

interface ExchangeOptions {
  readonly signal?: AbortSignal | undefined;
  onOpen?(): void;
  /** True if the reply is one result, so that no `$/end` follows. */
  readonly isUnary?: boolean;
}

/** One request on a socket. */
interface SocketRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Buffer of its results. */
  readonly queue: FrameQueue;
  readonly isUnary: boolean;
}

/** A request that was sent. */
interface RunningRequest extends SocketRequest {
  /** Length of its frame. */
  readonly length: number;
  /** True if a reply has arrived. */
  hasReply: boolean;
}

/** An open socket and its requests. */
interface Connection {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  /** Sends a request; returns a function that cancels it. */
  request(request: SocketRequest): () => void;
}

async function openConnection(
  options: WsTransportOptions,
  closing: AbortSignal,
): Promise<Connection> {
  const { silenceMs } = options;
  const requests = new Map<number, RunningRequest>();
  let ids = 0;
  let socket: OpenSocket | undefined;
  let pinging: Pinging | undefined;
  let lost: { readonly reason: unknown } | undefined;
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });

  function drop(reason: unknown): void {
    lost ??= { reason };
    closing.removeEventListener("abort", close);
    pinging?.stop();
    socket?.close();
    for (const { queue } of requests.values()) queue.end(reason);
    requests.clear();
    resolveClosed();
  }
  const close = () => drop(closing.reason);

  function frameOf(method: string, params: JsonObject): string {
    ids += 1;
    return JSON.stringify(rpcRequest(ids, method, params));
  }

  function cancel(id: number): void {
    // The request or its socket has ended already.
    if (!requests.delete(id)) return;
    socket?.send(JSON.stringify({ jsonrpc: "2.0", method: "$/cancel", params: { id } }));
  }

  async function open(wasRefused: boolean): Promise<OpenSocket> {
    const { url, protocols } = await options.address(wasRefused);
    return await openSocket({
      WebSocket: options.WebSocket,
      url,
      protocols,
      timeoutMs: Math.min(silenceMs, HANDSHAKE_TIMEOUT_MS),
      signal: closing,
      onText(text) {
        pinging?.received();
        const frame = text.length > MAX_FRAME_LENGTH ? undefined : findJson(text);
        if (isObject(frame)) deliver(frame, text.length, { requests, cancel });
        else drop(new TransportError("unreadable", "a frame is not JSON, or too long or deep"));
      },
      onClose(reason, code) {
        const rejected = findRejected(requests.values(), code, reason.message);
        rejected?.request.queue.end(rejected.reason);
        drop(reason);
      },
    });
  }

  socket = await open(false).catch(async (reason: unknown) => {
    if (closing.aborted || (await options.probe?.(closing)) !== true) throw reason;
    return await open(true);
  });
  closing.addEventListener("abort", close);
  pinging = startPinging({
    silenceMs,
    now: options.now,
    isNeeded: () => requests.size > 0,
    ping: () => socket?.send(frameOf("$/ping", {})),
    onSilence: () => drop(new TransportError("closed", `nothing came for ${silenceMs} ms`)),
  });

  return {
    closed,
    request(request) {
      // The socket has closed since it was opened, so the request fails at once.
      if (lost !== undefined) {
        request.queue.end(lost.reason);
        return () => {};
      }
      const text = frameOf(request.method, request.params);
      const id = ids;
      // A request with `after` continues a stream or repeats a message. It counts as accepted, because the
      // agent has usually accepted it before.
      const hasReply = "after" in request.params;
      requests.set(id, { ...request, length: text.length, hasReply });
      socket?.send(text);
      return () => cancel(id);
    },
  };
}

/** Passes a frame to its request. Frames of unknown requests are ignored. */
function deliver(
  frame: JsonObject,
  length: number,
  {
    requests,
    cancel,
  }: { readonly requests: Map<number, RunningRequest>; cancel(id: number): void },
): void {
  const id = idOf(frame);
  const request = requests.get(id);
  if (request === undefined) return;
  request.hasReply = true;
  const { queue, isUnary } = request;
  if (frame.method === "$/end") {
    requests.delete(id);
    queue.end();
    return;
  }
  try {
    const result = parseRpcResponse(frame);
    const cursor = typeof frame.cursor === "string" ? frame.cursor : undefined;
    if (isUnary) requests.delete(id);
    if (!queue.push({ result, cursor }, length)) cancel(id);
  } catch (reason) {
    requests.delete(id);
    queue.end(reason);
  }
}

/**
 * Returns the id of the request to which a frame belongs; -1 if the frame has no id. Some errors have the
 * id in their data.
 */
function idOf({ id, method, params, error }: JsonObject): number {
  if (method !== undefined) return method === "$/end" && isObject(params) ? Number(params.id) : -1;
  const data = isObject(error) ? error.data : undefined;
  return Number(id ?? (isObject(data) ? data.id : undefined) ?? -1);
}
