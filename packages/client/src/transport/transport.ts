import type { JsonObject } from "@dt/schema";

/** One result of a stream, and its cursor if it has one. */
export interface StreamResult {
  readonly result: unknown;
  readonly cursor: string | undefined;
}

/** Options of a stream. */
export interface StreamOptions {
  /** Cursor after which the stream starts. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Called when the agent accepts the request, which may be long before the first result. */
  onOpen?(): void;
}

/** Sends requests to the agent. */
export interface Transport {
  /** Sends a request with one result. */
  call(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown>;
  /** Sends a request with many results. Leaving the loop closes the stream. */
  stream(method: string, params: JsonObject, options: StreamOptions): AsyncIterable<StreamResult>;
  /** Closes the connection for good. */
  close?(): void;
}
