import type { ExtensionUris } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import type { CredentialOptions } from "./access/credentials.js";
import type { TransportKind } from "./agent-client.js";
import type { ReconnectSchedule } from "./transport/reconnect.js";
import type { WallClock } from "./transport/wall-clock.js";
import type { WebSocketConstructor } from "./transport/web-socket.js";

/** Options of `connect`; all have defaults. */
export interface ConnectOptions extends CredentialOptions {
  /** The name that others see next to what this client sends. */
  readonly clientName?: string;
  /** The version of A2A to speak. Default: 1.0 where the agent does, else 0.3. */
  readonly version?: A2aVersion;
  /**
   * How requests travel. `auto`: over a WebSocket where the agent has one, this platform has one (or
   * one is passed as `WebSocket`) and it opens; else as `sse`. Default: `auto` where `WebSocket` is
   * passed, else `sse`.
   */
  readonly transport?: TransportKind | "auto";
  /** A WebSocket for platforms without one, such as that of `ws` on Node 20. */
  readonly WebSocket?: WebSocketConstructor;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /** The extensions' URIs, where they are not the usual ones. */
  readonly uris?: ExtensionUris;
  /** How long to wait before another try after a break; each field has its default. */
  readonly reconnect?: ReconnectSchedule;
  /**
   * How long the agent may be silent before the connection counts as broken, in milliseconds. Default:
   * 45,000 where the agent sends heartbeats, as ours does every 15 s; for ever with other agents.
   */
  readonly silenceMs?: number;
  /**
   * How long connecting may take before it fails, in milliseconds: some ports accept and stay silent.
   * Default: 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * Whether to talk to the origin of `url` whatever the card says: for forwarded ports and proxies
   * behind which the agent does not know its own address. Default: false.
   */
  readonly keepsOrigin?: boolean;
  /**
   * How the agent spells what it sends. Default: as gemini-cli's own a2a-server does where the card is
   * that of one, else as the extension does. Name it where a card hides what is behind it.
   */
  readonly dialect?: "canonical" | "gemini";
  /** The clock that silence is measured by. Default: the platform's. */
  readonly now?: WallClock;
  /** Gives up connecting. */
  readonly signal?: AbortSignal;
}
