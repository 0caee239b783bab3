import type { ExtensionUris } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import type { CredentialOptions } from "./access/credentials.js";
import type { TransportKind } from "./agent-client.js";
import type { ReconnectSchedule } from "./transport/reconnect.js";
import type { WallClock } from "./transport/wall-clock.js";
import type { WebSocketConstructor } from "./transport/web-socket.js";

/** Options of `connect`; all have defaults. */
export interface ConnectOptions extends CredentialOptions {
  /** Name of this client, which others see beside its prompts and answers. */
  readonly clientName?: string;
  /** Version of A2A. Default: 1.0 if the agent speaks it, else 0.3. */
  readonly version?: A2aVersion;
  /**
   * Transport of requests. `auto` tries a WebSocket, and uses `sse` if the agent or the platform has no
   * WebSocket, or if the socket does not open. Default: `auto` if `WebSocket` is passed, else `sse`.
   */
  readonly transport?: TransportKind | "auto";
  /** WebSocket implementation for platforms without one, such as the package `ws` on Node 20. */
  readonly WebSocket?: WebSocketConstructor;
  /** Function for HTTP requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** URIs of the extensions, if the agent does not use the default URIs. */
  readonly uris?: ExtensionUris;
  /** Pauses between attempts after the connection broke; each field has a default. */
  readonly reconnect?: ReconnectSchedule;
  /**
   * Milliseconds of silence after which the client treats the connection as broken. Default: 45,000 over a
   * WebSocket, because the client pings the agent. Over `sse`, 45,000 if the agent has our session
   * extension, because such an agent sends heartbeats; otherwise no limit.
   */
  readonly silenceMs?: number;
  /**
   * Timeout of `connect` in milliseconds. Without a timeout, a port that accepts connections and never
   * answers would block forever. Default: 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * True to use the origin of the URL that `connect` gets, not the origin in the card. Needed behind a
   * forwarded port or a proxy, if the card has an address that this client cannot reach. Default: false.
   */
  readonly keepsOrigin?: boolean;
  /**
   * Dialect of the agent. Default: `gemini` if the card looks like the card of gemini-cli's a2a-server,
   * else `canonical`. Set this option if a proxy replaces the card.
   */
  readonly dialect?: "canonical" | "gemini";
  /**
   * True to accept an agent that declares no extension. Its conversation has text, states and artifacts, but
   * no tool calls. Default: false.
   */
  readonly acceptsPlain?: boolean;
  /** Clock that measures silence. Default: the platform's. */
  readonly now?: WallClock;
  /** Aborts `connect`. */
  readonly signal?: AbortSignal;
}
