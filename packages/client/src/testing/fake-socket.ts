import { isProtocolError } from "@dt/schema";
import {
  findTokenProtocol,
  parseRpcText,
  type RpcId,
  rpcFailure,
  rpcIdOf,
  rpcSuccess,
} from "@dt/schema/wire";
import type { WebSocketConstructor, WebSocketLike } from "../transport/web-socket.js";
import { type FakeFetchOptions, splitUris } from "./fake-fetch.js";

/** Fields of any event of a socket. */
interface SocketEvent {
  readonly data: unknown;
  readonly code: number;
  readonly reason: string;
}

type Listener = (event: SocketEvent) => void;

/**
 * Creates a `WebSocket` that is served in this process: JSON-RPC frames with the subprotocol
 * `dt.a2a.v1`.
 */
export function createFakeSocket(options: Omit<FakeFetchOptions, "card">): WebSocketConstructor {
  const { methods, network, token } = options;

  return class FakeSocket implements WebSocketLike {
    readyState = 0;
    readonly #listeners = new Map<string, Listener[]>();
    readonly #running = new Map<RpcId, AbortController>();
    readonly #query: URLSearchParams;
    #forget = () => {};

    constructor(url: string, protocols: string | string[] = []) {
      this.#query = new URL(url).searchParams;
      const isKnown = token === undefined || findTokenProtocol([protocols].flat()) === token;
      // The first event is dispatched later, so that the creator of the socket can add listeners.
      setTimeout(() => {
        if (this.readyState !== 0) return;
        if (!network.isOnline || !isKnown) return this.#end(1006);
        this.readyState = 1;
        this.#forget = network.onCut(() => this.#end(1006));
        this.#dispatch("open");
      });
    }

    addEventListener(type: string, listener: Listener): void {
      this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
    }

    send(text: string): void {
      if (this.readyState === 1) void this.#serve(text);
    }

    close(code = 1000): void {
      this.#end(code);
    }

    async #serve(text: string): Promise<void> {
      const request = parseRpcText(text);
      const { id, params } = request;
      if (request.method === "$/cancel") return this.#running.get(rpcIdOf(params))?.abort();
      if (request.method === "$/ping") return this.#reply(rpcSuccess(id, {}));
      const abort = new AbortController();
      this.#running.set(id, abort);
      try {
        const after = (params as { after?: unknown } | undefined)?.after;
        const outcome = await methods(request, {
          version: this.#query.get("A2A-Version") ?? undefined,
          extensions: splitUris(this.#query.get("A2A-Extensions")),
          after: typeof after === "string" ? after : undefined,
          origin: { principal: "local", name: this.#query.get("X-DT-Client") ?? "local" },
          signal: abort.signal,
        });
        if (outcome.type === "result") return this.#reply(rpcSuccess(id, outcome.result));
        for await (const { result, cursor } of outcome.frames) {
          if (abort.signal.aborted) break;
          const reply = rpcSuccess(id, result);
          this.#reply(cursor === undefined ? reply : { ...reply, cursor });
        }
        this.#reply({ jsonrpc: "2.0", method: "$/end", params: { id } });
      } catch (reason) {
        if (!isProtocolError(reason)) this.#end(1011);
        this.#reply(rpcFailure(id, reason));
      } finally {
        this.#running.delete(id);
      }
    }

    #reply(json: object): void {
      if (this.readyState === 1) this.#dispatch("message", { data: JSON.stringify(json) });
    }

    #end(code: number): void {
      if (this.readyState === 3) return;
      this.readyState = 3;
      this.#forget();
      for (const abort of this.#running.values()) abort.abort();
      this.#dispatch("close", { code });
    }

    #dispatch(type: string, fields: Partial<SocketEvent> = {}): void {
      const event = { data: undefined, code: 0, reason: "", ...fields };
      for (const listener of this.#listeners.get(type) ?? []) listener(event);
    }
  };
}
