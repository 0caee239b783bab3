import { findJson, isObject, type JsonObject } from "@dt/schema";
import { parseRpcResponse, rpcRequest } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import { onAbort, untilAborted } from "./abort-signals.js";
import { findBlamed } from "./blamed-request.js";
import {
  createFrameQueue,
  DEFAULT_QUEUE_BOUNDS,
  type FrameQueue,
  type QueueBounds,
} from "./frame-queue.js";
import { type OpenSocket, openSocket } from "./open-socket.js";
import { type Pinging, startPinging } from "./pinging.js";
import type { StreamResult, Transport } from "./transport.js";
import type { WallClock } from "./wall-clock.js";
import type { WebSocketConstructor } from "./web-socket.js";

/** Where a socket goes. */
export interface SocketAddress {
  readonly url: string;
  readonly protocols: readonly string[];
}

/** What the WebSocket transport needs. */
export interface WsTransportOptions {
  readonly WebSocket: WebSocketConstructor;
  /** Asked anew whenever a socket is opened; once more where what it gave was refused. */
  address(wasRefused: boolean): Promise<SocketAddress>;
  /** How long the agent may be silent while something is asked of it. */
  readonly silenceMs: number;
  readonly bounds?: QueueBounds;
  readonly now: WallClock;
  /**
   * Called when a socket did not open: throws where the agent refuses this client for good; gives
   * whether it refused what this client showed it, and took something newer.
   */
  probe?(signal: AbortSignal): Promise<boolean>;
}

/** A transport over a socket that is opened when it is needed, and again after every break. */
export interface WsTransport extends Transport {
  /** Opens the socket now. */
  open(signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** The longest frame that is read: far more than an agent has to say. */
const MAX_FRAME_LENGTH = 64 * 1024 * 1024;

/** A handshake that takes longer than this is not going to end. */
const HANDSHAKE_MS = 15_000;

/** JSON-RPC over one WebSocket, many requests at once, told apart by their ids. (DESIGN 3.14) */
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
  /** Whether there is one result and no `$/end`. */
  readonly isUnary?: boolean;
}

/** One request on a socket. */
interface SocketRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Where its results go. */
  readonly queue: FrameQueue;
  readonly isUnary: boolean;
}

/** One that was sent. */
interface RunningRequest extends SocketRequest {
  /** How long its frame was. */
  readonly length: number;
  /** Whether anything came back for it. */
  isHeard: boolean;
}

/** One socket while it lasts. */
interface Connection {
  /** Resolves when it is gone. */
  readonly closed: Promise<void>;
  /** Sends a request; gives how to leave it. */
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
  let tellClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve;
  });

  function drop(reason: unknown): void {
    lost ??= { reason };
    closing.removeEventListener("abort", close);
    pinging?.stop();
    socket?.close();
    for (const { queue } of requests.values()) queue.end(reason);
    requests.clear();
    tellClosed();
  }
  const close = () => drop(closing.reason);

  function frameOf(method: string, params: JsonObject): string {
    ids += 1;
    return JSON.stringify(rpcRequest(ids, method, params));
  }

  function cancel(id: number): void {
    // Not there any more: it came to its end, or the socket did.
    if (!requests.delete(id)) return;
    socket?.send(JSON.stringify({ jsonrpc: "2.0", method: "$/cancel", params: { id } }));
  }

  async function open(wasRefused: boolean): Promise<OpenSocket> {
    const { url, protocols } = await options.address(wasRefused);
    return await openSocket({
      WebSocket: options.WebSocket,
      url,
      protocols,
      timeoutMs: Math.min(silenceMs, HANDSHAKE_MS),
      signal: closing,
      onText(text) {
        pinging?.heard();
        const frame = text.length > MAX_FRAME_LENGTH ? undefined : findJson(text);
        if (isObject(frame)) deliver(frame, text.length, { requests, cancel });
        else drop(new TransportError("unreadable", "a frame is not JSON, or too long or deep"));
      },
      onClose(reason, code) {
        const blamed = findBlamed(requests.values(), code, reason.message);
        blamed?.request.queue.end(blamed.reason);
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
      // It may have gone between being opened and being used.
      if (lost !== undefined) {
        request.queue.end(lost.reason);
        return () => {};
      }
      const text = frameOf(request.method, request.params);
      const id = ids;
      // A stream that goes on is one that the agent took before, though it may have nothing to say.
      const isHeard = "after" in request.params;
      requests.set(id, { ...request, length: text.length, isHeard });
      socket?.send(text);
      return () => cancel(id);
    },
  };
}

/** Hands a frame to the request that it belongs to. What nobody asked for is passed over. */
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
  request.isHeard = true;
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

/** The request that a frame is about; an error that came before its id was read has it in its data. */
function idOf({ id, method, params, error }: JsonObject): number {
  if (method !== undefined) return method === "$/end" && isObject(params) ? Number(params.id) : -1;
  const data = isObject(error) ? error.data : undefined;
  return Number(id ?? (isObject(data) ? data.id : undefined) ?? -1);
}
