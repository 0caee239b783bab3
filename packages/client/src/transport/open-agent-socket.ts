import {
  type A2aVersion,
  encodeTokenProtocol,
  METHOD_NAMES,
  WEBSOCKET_SUBPROTOCOLS,
} from "@dt/schema/wire";
import type { Credentials } from "../access/credentials.js";
import { isRetryable, isTransportError } from "../errors/transport-error.js";
import type { Transport } from "./transport.js";
import type { WallClock } from "./wall-clock.js";
import type { WebSocketConstructor } from "./web-socket.js";
import { createWsTransport, type WsTransport } from "./ws-transport.js";

/** Options for opening an agent's socket. */
export interface AgentSocketOptions {
  readonly WebSocket: WebSocketConstructor;
  readonly url: string;
  readonly version: A2aVersion;
  /** Active extensions, as a header lists them. */
  readonly extensions: string;
  readonly clientName: string;
  readonly credentials: Credentials;
  readonly silenceMs: number;
  readonly now: WallClock;
  /**
   * Creates an HTTP transport to the same agent. The caller passes this function, because a bundler
   * would move code that this module imports to a separate chunk.
   */
  readonly createHttp: (credentials: Credentials) => Transport;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a WebSocket to an agent; the caller closes it. */
export async function openAgentSocket(options: AgentSocketOptions): Promise<WsTransport> {
  const { WebSocket, version, extensions, clientName, credentials, silenceMs, now, signal } =
    options;
  const socket = createWsTransport({
    WebSocket,
    silenceMs,
    now,
    async address(wasRefused) {
      const target = new URL(options.url);
      target.searchParams.set("A2A-Version", version);
      target.searchParams.set("A2A-Extensions", extensions);
      target.searchParams.set("events", "asked");
      if (clientName !== "") target.searchParams.set("X-DT-Client", clientName);
      const token = await credentials.token({ wasRefused });
      const protocols = [...WEBSOCKET_SUBPROTOCOLS];
      if (token !== undefined) protocols.push(encodeTokenProtocol(token));
      return { url: target.href, protocols };
    },
    // A browser hides why a socket did not open, so an HTTP request finds the reason.
    async probe(aborted) {
      let wasRefused = false;
      const watched: Credentials = {
        ...credentials,
        headers(request) {
          wasRefused = request.wasRefused;
          return credentials.headers(request);
        },
      };
      const http = options.createHttp(watched);
      const harmless = METHOD_NAMES[version]["list-commands"];
      await http.call(harmless, {}, aborted).catch((reason: unknown) => {
        if (isTransportError(reason) && !isRetryable(reason)) throw reason;
      });
      return wasRefused;
    },
  });
  try {
    await socket.open(signal);
    return socket;
  } catch (reason) {
    socket.close();
    throw reason;
  }
}
