import {
  buildCardEntries,
  defaultExtensionUris,
  type JsonObject,
  type SlashCommand,
} from "@dt/schema";
import { bindings } from "@dt/schema/wire";
import type { AgentClient } from "../agent-client.js";
import { connect } from "../connect.js";
import type { ConnectOptions } from "../connect-options.js";
import { systemWallClock, type WallClock } from "../transport/wall-clock.js";
import type { WebSocketConstructor } from "../transport/web-socket.js";
import { createFakeFetch } from "./fake-fetch.js";
import { createFakeMethods } from "./fake-methods.js";
import { createFakeNetwork, type FakeNetwork } from "./fake-network.js";
import { createFakeSocket } from "./fake-socket.js";
import { echo, type FakeScript } from "./fake-turn.js";

/** What a fake agent can be told. */
export interface FakeAgentOptions {
  /** What it does with a prompt: a function, or what {@link playRecording} gives. Default: it echoes. */
  readonly script?: FakeScript;
  /** The slash commands that it lists. */
  readonly commands?: readonly SlashCommand[];
  /** What a slash command does, by its path joined with blanks: `{ "memory add": async (turn) => … }`. */
  readonly commandScripts?: Readonly<Record<string, FakeScript>>;
  /** Whether it gives cursors, as our server does. Default: true; false: it knows only the RFC. */
  readonly hasCursors?: boolean;
  /** The bearer token that it demands. Default: none. */
  readonly token?: string;
  /** The clock that dates its events. Default: the platform's. */
  readonly now?: WallClock;
}

/** An agent in this process, for the tests of whoever uses `connect`. Nothing of it needs closing. */
export interface FakeAgent {
  /** Its address; only its own `fetch` and `WebSocket` know it. */
  readonly url: string;
  /** Pass it to `connect`. */
  readonly fetch: typeof globalThis.fetch;
  /** Pass it to `connect` for a connection over a WebSocket. */
  readonly WebSocket: WebSocketConstructor;
  /** Its network, for tests of what a screen shows while it is down. */
  readonly network: FakeNetwork;
  /** Connects to it: `connect(url, { fetch, ...options })`, with a socket where one is asked for. */
  connect(options?: ConnectOptions): Promise<AgentClient>;
}

const URL_OF_FAKE = "http://fake-agent.test/";

/** Creates an agent that plays a script through the real codecs. */
export function createFakeAgent(options: FakeAgentOptions = {}): FakeAgent {
  const {
    script = echo,
    commands = [],
    commandScripts = {},
    hasCursors = true,
    token,
    now = systemWallClock,
  } = options;
  const uris = defaultExtensionUris;
  const network = createFakeNetwork();
  const methods = createFakeMethods({
    script,
    uris,
    hasSession: hasCursors,
    commands,
    commandScripts,
    now,
  });
  const fetch = createFakeFetch({ card: buildCard(hasCursors), methods, network, token });
  const WebSocket = createFakeSocket({ methods, network, token });
  return {
    url: URL_OF_FAKE,
    fetch,
    WebSocket,
    network,
    connect: (connectOptions = {}) =>
      connect(URL_OF_FAKE, {
        fetch,
        ...(connectOptions.transport !== undefined && { WebSocket }),
        ...connectOptions,
      }),
  };
}

function buildCard(hasCursors: boolean): JsonObject {
  const [developmentTool, session] = buildCardEntries();
  const url = URL_OF_FAKE;
  return {
    name: "fake agent",
    description: "An agent for tests.",
    version: "0.0.0",
    url,
    protocolVersion: "0.3.0",
    preferredTransport: bindings.jsonRpc,
    supportedInterfaces: [
      { url, protocolBinding: bindings.jsonRpc, protocolVersion: "1.0" },
      { url, protocolBinding: bindings.jsonRpc, protocolVersion: "0.3" },
      {
        url: `${url.replace("http", "ws")}ws`,
        protocolBinding: bindings.webSocket,
        protocolVersion: "1.0",
      },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: hasCursors ? [developmentTool, session] : [developmentTool],
    },
    skills: [],
  };
}
