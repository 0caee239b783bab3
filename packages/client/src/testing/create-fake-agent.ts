import {
  buildCardEntries,
  DEFAULT_EXTENSION_URIS,
  type JsonObject,
  type SlashCommand,
} from "@dt/schema";
import { BINDINGS } from "@dt/schema/wire";
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

/** Options of {@link createFakeAgent}. */
export interface FakeAgentOptions {
  /** Reaction to a prompt: a function, or the result of {@link playRecording}. Default: an echo. */
  readonly script?: FakeScript;
  /** Slash commands that the agent lists. */
  readonly commands?: readonly SlashCommand[];
  /**
   * Reactions to slash commands. The key is the path of the command, joined with blanks:
   * `{ "memory add": async (turn) => … }`.
   */
  readonly commandScripts?: Readonly<Record<string, FakeScript>>;
  /**
   * True if the agent has cursors, like our server; false if it only knows the RFC. Default: true.
   */
  readonly hasCursors?: boolean;
  /** Bearer token that the agent requires. Default: none. */
  readonly token?: string;
  /** Clock for the times of events. Default: the platform's. */
  readonly now?: WallClock;
}

/**
 * An agent in this process, for tests of programs that use `connect`. It opens no port, and does
 * not have to be closed.
 */
export interface FakeAgent {
  /** Address of the agent, which only its own `fetch` and `WebSocket` can reach. */
  readonly url: string;
  /** The option `fetch` for `connect`. */
  readonly fetch: typeof globalThis.fetch;
  /** The option `WebSocket` for `connect`, for a connection over a WebSocket. */
  readonly WebSocket: WebSocketConstructor;
  /** Network in front of the agent. A test can cut it. */
  readonly network: FakeNetwork;
  /** Calls `connect(url, { fetch, ...options })`. Also passes {@link WebSocket} if `transport` is set. */
  connect(options?: ConnectOptions): Promise<AgentClient>;
}

const FAKE_AGENT_URL = "http://fake-agent.test/";

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
  const uris = DEFAULT_EXTENSION_URIS;
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
    url: FAKE_AGENT_URL,
    fetch,
    WebSocket,
    network,
    connect: (connectOptions = {}) =>
      connect(FAKE_AGENT_URL, {
        fetch,
        ...(connectOptions.transport !== undefined && { WebSocket }),
        ...connectOptions,
      }),
  };
}

function buildCard(hasCursors: boolean): JsonObject {
  const [developmentTool, session] = buildCardEntries();
  const url = FAKE_AGENT_URL;
  return {
    name: "fake agent",
    description: "An agent for tests.",
    version: "0.0.0",
    url,
    protocolVersion: "0.3.0",
    preferredTransport: BINDINGS.jsonRpc,
    supportedInterfaces: [
      { url, protocolBinding: BINDINGS.jsonRpc, protocolVersion: "1.0" },
      { url, protocolBinding: BINDINGS.jsonRpc, protocolVersion: "0.3" },
      {
        url: `${url.replace("http", "ws")}ws`,
        protocolBinding: BINDINGS.webSocket,
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
