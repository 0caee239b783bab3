import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createByteBuffer } from "../../model/byte-buffer.js";
import { createEventFilter } from "./event-filter.js";
import type { RefusedMessage } from "./rpc-line-reader.js";
import type { MessageLimits } from "./message-limits.js";
import { createMessageScanner } from "./message-scanner.js";
import { toRefusal } from "./parse-rpc-line.js";

/** An error shows only the first part of its body. */
const MAX_ERROR_BYTES = 64 * 1024;

type Body = ReadableStream<Uint8Array>;
type Refuse = (refused: RefusedMessage) => string;

/**
 * Creates a `fetch` with limits on the messages of a server, because the SDK keeps and parses any
 * amount. A message beyond the limits is replaced by an error for the call that it answers.
 */
export function createBoundedFetch(fetch: FetchLike, limits: MessageLimits): FetchLike {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    const type = headers.get("content-type") ?? "";
    const replaced = (bounded: Body | string) =>
      new Response(bounded, { status, statusText, headers });
    const refuse: Refuse = ({ fault, answeredId = findId(init?.body) }) =>
      JSON.stringify(toRefusal({ fault, answeredId }));
    if (body === null) return response;
    if (!response.ok) return replaced(cutAfter(body, MAX_ERROR_BYTES));
    if (type.includes("text/event-stream")) return replaced(filterEvents(body, limits, refuse));
    if (type.includes("application/json")) return replaced(await readMessage(body, limits, refuse));
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
  const filter = createEventFilter(limits, (refused) => `data: ${refuse(refused)}\n\n`);
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const events = filter.take(bytes);
      if (events.length > 0) controller.enqueue(events);
    },
  });
  return body.pipeThrough(passing);
}

async function readMessage(body: Body, limits: MessageLimits, refuse: Refuse): Promise<string> {
  const scanner = createMessageScanner(limits);
  const kept = createByteBuffer();
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new TextDecoder().decode(kept.takeWith(new Uint8Array()));
    scanner.push(value);
    const { fault } = scanner;
    if (fault === undefined) {
      kept.append(value);
      continue;
    }
    void reader.cancel().catch(() => {});
    // The response belongs to the one request that was sent, whatever id it contains.
    return refuse({ fault, answeredId: undefined });
  }
}
