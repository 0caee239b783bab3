import type { JsonObject } from "@dt/schema";
import { parseRpcText, type RpcId, rpcFailure, rpcSuccess } from "@dt/schema/wire";
import type { FakeFrame } from "./fake-frames.js";
import type { FakeMethods } from "./fake-methods.js";
import type { FakeNetwork } from "./fake-network.js";

/** Dependencies of a fake fetch. */
export interface FakeFetchOptions {
  readonly card: JsonObject;
  readonly methods: FakeMethods;
  readonly network: FakeNetwork;
  /** Token that every request must have; undefined if no token is required. */
  readonly token: string | undefined;
}

/** Creates a `fetch` that is served in this process: the card, and JSON-RPC with server-sent events. */
export function createFakeFetch(options: FakeFetchOptions): typeof globalThis.fetch {
  const { card, methods, network, token } = options;
  return async (input, init = {}) => {
    const request = new Request(input, init);
    const { headers, signal } = request;
    signal.throwIfAborted();
    if (!network.isOnline) throw new TypeError("fetch failed: the fake network is down");
    if (request.method === "GET") return Response.json(card);
    if (token !== undefined && headers.get("Authorization") !== `Bearer ${token}`) {
      return new Response("a token is required", { status: 401 });
    }
    let id: RpcId = null;
    try {
      const rpc = parseRpcText(await request.text());
      id = rpc.id;
      const gone = new AbortController();
      const outcome = await methods(rpc, {
        version: headers.get("A2A-Version") ?? undefined,
        extensions: splitUris(headers.get("A2A-Extensions") ?? headers.get("X-A2A-Extensions")),
        after: headers.get("Last-Event-ID") ?? undefined,
        origin: {
          principal: "local",
          name: decodeURIComponent(headers.get("X-DT-Client") ?? "local"),
        },
        signal: gone.signal,
      });
      if (outcome.type === "result") return Response.json(rpcSuccess(id, outcome.result));
      const body = eventStream(outcome.frames, { id, gone, signal, network });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    } catch (reason) {
      return Response.json(rpcFailure(id, reason));
    }
  };
}

/** Splits the URIs in a header. */
export function splitUris(header: string | null): readonly string[] {
  return (header ?? "")
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => uri !== "");
}

interface EventStreamOptions {
  readonly id: RpcId;
  readonly gone: AbortController;
  readonly signal: AbortSignal;
  readonly network: FakeNetwork;
}

function eventStream(
  frames: AsyncIterable<FakeFrame>,
  { id, gone, signal, network }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = frames[Symbol.asyncIterator]();
  let release = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (reason: unknown) => {
        release();
        gone.abort();
        controller.error(reason);
      };
      const forget = network.onCut(() => end(new TypeError("the fake network was cut")));
      const abort = () => end(signal.reason);
      signal.addEventListener("abort", abort);
      release = () => {
        forget();
        signal.removeEventListener("abort", abort);
      };
      controller.enqueue(encoder.encode(": open\n\n"));
    },
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (gone.signal.aborted) return;
      if (done === true) {
        release();
        controller.close();
        return;
      }
      const cursor = value.cursor === undefined ? "" : `id: ${value.cursor}\n`;
      const data = JSON.stringify(rpcSuccess(id, value.result));
      controller.enqueue(encoder.encode(`${cursor}data: ${data}\n\n`));
    },
    cancel() {
      release();
      gone.abort();
    },
  });
}
