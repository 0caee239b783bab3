import type { JsonObject } from "@dt/schema";
import type { StandInStream } from "./stand-in-output.js";

/** Options of a stream. */
export interface StandInStreamOptions {
  readonly id: unknown;
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal;
  onClosed(): void;
  /** Text after each event. */
  readonly separator?: string;
}

/** Opens a stream, and creates the response whose body is the stream. */
export function openStream({ id, signal, onClosed, separator = "\n\n" }: StandInStreamOptions) {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(own) {
      controller = own;
    },
    cancel() {
      controller = undefined;
      onClosed();
    },
  });
  signal.addEventListener("abort", () => {
    controller?.error(signal.reason);
    controller = undefined;
    onClosed();
  });
  const stream: StandInStream = {
    send(result) {
      const text = JSON.stringify({ jsonrpc: "2.0", id, result });
      controller?.enqueue(encoder.encode(`data: ${text}${separator}`));
    },
    end() {
      controller?.close();
      controller = undefined;
    },
  };
  return { stream, response: new Response(body, EVENT_STREAM) };
}

const EVENT_STREAM = { headers: { "Content-Type": "text/event-stream" } };

/** Builds a stream with one error event, as the peer reports errors of streams. */
export function errorStream(id: unknown, code: number, reason: string): Response {
  const text = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: reason } });
  return new Response(`event: error\ndata: ${text}\n\n`, EVENT_STREAM);
}

/** Builds a JSON-RPC result. */
export function resultResponse(id: unknown, result: JsonObject): Response {
  return json({ jsonrpc: "2.0", id, result });
}

/** Builds a JSON-RPC error. */
export function errorResponse(id: unknown, code: number, reason: string): Response {
  return json({ jsonrpc: "2.0", id, error: { code, message: reason } });
}

/** Builds a JSON response. */
export function json(value: unknown, status = 200): Response {
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(value), { status, headers });
}

/** Builds a card like the peer's. */
export function cardOf(url: string): JsonObject {
  return {
    name: "Gemini SDLC Agent",
    description: "A stand-in for gemini-cli's a2a-server.",
    url,
    provider: { organization: "Google", url: "https://google.com" },
    protocolVersion: "0.3.0",
    version: "0.0.2",
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: true },
    defaultInputModes: ["text"],
    defaultOutputModes: ["text"],
    skills: [{ id: "code_generation", name: "Code Generation", description: "", tags: [] }],
    supportsAuthenticatedExtendedCard: false,
  };
}
