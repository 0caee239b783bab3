import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createEventFilter } from "./event-filter.js";
import type { MessageLimits } from "./message-limits.js";
import { createMessageScanner } from "./message-scanner.js";
import { toRefusal } from "./parse-rpc-line.js";
import type { RefusedMessage } from "./rpc-line-reader.js";
import { createTextBuffer } from "./text-buffer.js";

/** Maximum size of the body of an HTTP error. The rest is cut off. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Maximum size of a message in a stream of server-sent events. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;

type Body = ReadableStream<Uint8Array>;
/** Encodes the error that replaces a refused message. Returns undefined if there is no call to send the error to. */
type Refuse = (refused: RefusedMessage) => string | undefined;

/**
 * Creates a `fetch` with limits on the messages of a server, because the SDK buffers and parses messages of any
 * size. A message beyond the limits is replaced by an error for the call that it answers. If the message
 * answers no call, the error is for the request whose response contains the message. In a stream that belongs
 * to no request, such a message is dropped.
 */
export function createBoundedFetch(fetch: FetchLike, limits: MessageLimits): FetchLike {
  // The SDK decodes an event in one step, which blocks the event loop if the event is large.
  const eventLimits = { ...limits, maxBytes: Math.min(limits.maxBytes, MAX_EVENT_BYTES) };
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    const type = headers.get("content-type") ?? "";
    const withBody = (bounded: Body | null) =>
      new Response(bounded, { status, statusText, headers });
    const refuse: Refuse = ({ fault, answeredId = findId(init?.body) }) =>
      JSON.stringify(toRefusal({ fault, answeredId }));
    if (body === null) return response;
    if (!response.ok) return withBody(cutAfter(body, MAX_ERROR_BYTES));
    if (type.includes("text/event-stream")) {
      return withBody(filterEvents(body, eventLimits, refuse));
    }
    if (type.includes("application/json")) {
      return withJson(withBody(null), await readMessage(body, limits, refuse));
    }
    return response;
  };
}

/** Finds the id in a request that the SDK has encoded. */
function findId(sent: unknown): number | string | undefined {
  const message: unknown = typeof sent === "string" ? JSON.parse(sent) : undefined;
  const id = message instanceof Object && "id" in message ? message.id : undefined;
  return typeof id === "number" || typeof id === "string" ? id : undefined;
}

function cutAfter(body: Body, maxBytes: number): Body {
  let left = maxBytes;
  const cutter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) controller.terminate();
    },
  });
  return body.pipeThrough(cutter);
}

function filterEvents(body: Body, limits: MessageLimits, refuse: Refuse): Body {
  const filter = createEventFilter(limits, (refused) => {
    const error = refuse(refused);
    return error === undefined ? "" : `data: ${error}\n\n`;
  });
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const events = filter.push(bytes);
      if (events.length > 0) controller.enqueue(events);
    },
  });
  return body.pipeThrough(passing);
}

/** Lets `json()` parse a decoded text, because decoding a large body in one step blocks the event loop. */
function withJson(response: Response, text: string): Response {
  return Object.defineProperty(response, "json", { value: async () => JSON.parse(text) });
}

async function readMessage(body: Body, limits: MessageLimits, refuse: Refuse): Promise<string> {
  const scanner = createMessageScanner(limits);
  const kept = createTextBuffer();
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    // A byte order mark is legal here, but JSON.parse refuses it.
    if (done) return kept.take().replace(/^\uFEFF/, "");
    scanner.push(value);
    const { fault } = scanner;
    if (fault === undefined) {
      kept.append(value);
      continue;
    }
    void reader.cancel().catch(() => {});
    // The response belongs to the one request that was sent, so the id in the response is ignored.
    return refuse({ fault, answeredId: undefined }) ?? "";
  }
}
