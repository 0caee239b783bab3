import type { JsonObject } from "@dt/schema";

/** One result of a stream, and its cursor where it has one. */
export interface StreamResult {
  readonly result: unknown;
  readonly cursor: string | undefined;
}

/** How a stream is asked for. */
export interface StreamOptions {
  /** The cursor to go on from. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Called when the agent is reached, which may be long before the first result. */
  onOpen?(): void;
}

/** How requests reach the agent. */
export interface Transport {
  /** One request, one result. */
  call(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown>;
  /** One request, many results. Leaving the loop hangs up. */
  stream(method: string, params: JsonObject, options: StreamOptions): AsyncIterable<StreamResult>;
  /** Hangs up for good. */
  close?(): void;
}
