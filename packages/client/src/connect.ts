import {
  CLIENT_ID_HEADER,
  DEFAULT_EXTENSION_URIS,
  isObject,
  type JsonObject,
  SetupError,
} from "@dt/schema";
import { type A2aVersion, isGeminiCard, METHOD_NAMES, spellings } from "@dt/schema/wire";
import { createCredentials } from "./access/credentials.js";
import { toHeaderText } from "./access/header-text.js";
import type { AgentClient } from "./agent-client.js";
import type { ConnectOptions } from "./connect-options.js";
import { createAgentClient } from "./create-agent-client.js";
import { checkExtensions } from "./discovery/check-extensions.js";
import { checkOptions } from "./discovery/check-options.js";
import { chooseInterface, findSocketUrl } from "./discovery/choose-interface.js";
import { CARD_PATH, fetchAgentCard } from "./discovery/fetch-agent-card.js";
import { SetupFaultError } from "./errors/setup-fault.js";
import { isTransportError, type TransportError } from "./errors/transport-error.js";
import { createAttempts } from "./task/channel/attempts.js";
import { createCursorChannel } from "./task/channel/cursor-channel.js";
import { createConnectionMonitor } from "./task/connection-monitor.js";
import { linkSignals } from "./transport/abort-signals.js";
import { createHttpTransport } from "./transport/http-transport.js";
import type { Transport } from "./transport/transport.js";
import { systemWallClock } from "./transport/wall-clock.js";
import { findWebSocket, type WebSocketConstructor } from "./transport/web-socket.js";

/** Default for `silenceMs`: three times the interval of our server's heartbeats. */
const SILENCE_MS = 45_000;

/** Default timeout of `connect`. */
const TIMEOUT_MS = 30_000;

/** The longest delay that `setTimeout` supports. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Connects to an agent: fetches its card, checks that both sides have compatible versions of the RFC's
 * extension, and selects a transport. If that fails, throws {@link SetupError}, whose message says what
 * to do.
 *
 * If `token` or `headers` are given, or if the card says that requests need credentials, `connect` also
 * checks that the agent accepts this client's credentials. Otherwise `connect` does not check credentials.
 * If the agent requires them without saying so in its card, the first call rejects with a TransportError of
 * status 401.
 */
export async function connect(
  agentUrl: string | URL,
  options: ConnectOptions = {},
): Promise<AgentClient> {
  try {
    checkOptions(options);
    const url = String(agentUrl).replace(CARD_PATH, "");
    return await connectWithTimeout(url, options);
  } catch (reason) {
    if (!(reason instanceof SetupFaultError)) throw reason;
    const { fault, cause } = reason;
    // The code that explains errors is loaded on demand. If it cannot be loaded, the message is short.
    const explained = await import("./errors/explain-setup.js").then(
      ({ explainSetup }) => explainSetup(fault, cause),
      () => `cannot connect: ${fault.type}`,
    );
    throw new SetupError(explained, { cause });
  }
}

/** Connects, or fails after the timeout. */
async function connectWithTimeout(url: string, options: ConnectOptions): Promise<AgentClient> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const link = linkSignals(options.signal);
  const giveUp = () =>
    link.abort(new SetupFaultError({ type: "silent", url, waitedMs: timeoutMs }));
  const timer = setTimeout(giveUp, Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    return await connectTo(url, { ...options, signal: link.signal });
  } finally {
    clearTimeout(timer);
    link.release();
  }
}

async function connectTo(url: string, options: ConnectOptions): Promise<AgentClient> {
  const {
    uris: wantedUris = DEFAULT_EXTENSION_URIS,
    clientName = "",
    now = systemWallClock,
    signal,
  } = options;
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const credentials = createCredentials(options);
  const named = clientName === "" ? {} : { "X-DT-Client": toHeaderText(clientName) };
  const card = await fetchAgentCard(url, { fetch, headers: named, credentials, signal });
  const closing = new AbortController();
  const monitor = createConnectionMonitor();
  const schedule = options.reconnect ?? {};
  const attempts = createAttempts({ schedule, closing: closing.signal, monitor });
  const origin = { principal: "local", name: clientName };
  if (speaksGemini(card, options)) {
    // The module is loaded on demand, because most pages never connect to gemini-cli's server.
    const { createGeminiClient } = await import("./gemini/gemini-client.js");
    const shared = { fetch, headers: named, credentials, uris: wantedUris, now };
    const base = { card, url, ...shared, attempts, closing, monitor, origin };
    return createGeminiClient({ ...base, wanted: options });
  }
  const { uris, hasSession, active } = checkExtensions(card, wantedUris, options.acceptsPlain);
  const { url: endpoint, version } = chooseInterface(card, options.version);
  const resolveAddress = (listed: string) => {
    const address = resolveListed(listed, url);
    return options.keepsOrigin === true ? replaceOrigin(address, url) : address;
  };
  checkEncryption(url, resolveAddress(endpoint), options);
  const extensions = active.join(", ");

  const httpOptions = {
    url: resolveAddress(endpoint),
    fetch,
    headers: {
      ...named,
      // The id is 16 random bytes. `crypto.randomUUID` is not used, because pages without TLS lack
      // it. Agents without our session extension do not get the header, because their CORS rules
      // might forbid it.
      ...(hasSession && {
        [CLIENT_ID_HEADER]: crypto.getRandomValues(new Uint8Array(16)).join("-"),
      }),
      "A2A-Version": version,
      ...(extensions && { [spellings[version].extensionsHeader]: extensions }),
    },
    credentials,
    silenceMs: options.silenceMs ?? (hasSession ? SILENCE_MS : undefined),
    now,
    ...(hasSession && { lastMethod: METHOD_NAMES[version]["end-client"] }),
  };
  const socket = findSocket(card, options);
  const opened = socket && (await tryOpenSocket(() => openSocket(socket), options));
  const transport: Transport = opened ?? createHttpTransport(httpOptions);
  // An agent checks credentials when a socket opens, but often not when it sends its card. If no socket was
  // opened, the credentials are therefore checked here.
  if (opened === undefined && (hasSecret(options) || requiresCredentials(card)))
    await checkCredentials(transport, version, signal);

  async function openSocket({ WebSocket, listed }: ChosenSocket): Promise<Transport> {
    const address = resolveAddress(listed);
    checkEncryption(url, address.replace(/^ws/, "http"), options);
    // The module is loaded on demand, because most pages use server-sent events.
    const { openAgentSocket } = await import("./transport/open-agent-socket.js");
    return await openAgentSocket({
      WebSocket,
      url: address.replace(/^http/, "ws"),
      version,
      extensions,
      clientName,
      credentials,
      silenceMs: options.silenceMs ?? SILENCE_MS,
      now,
      createHttp: (shown) => createHttpTransport({ ...httpOptions, credentials: shown }),
      signal,
    });
  }

  const streams = !isObject(card.capabilities) || card.capabilities.streaming !== false;
  const conversation = { transport, spelling: spellings[version], uris, attempts, streams };
  const channel = hasSession
    ? createCursorChannel({ ...conversation, origin })
    : // The module is loaded on demand, because most agents have our session extension.
      (await import("./task/channel/rfc-channel.js")).createRfcChannel({ ...conversation, origin });
  const kind = opened === undefined ? "sse" : "websocket";
  return createAgentClient({ card, conversation, channel, transport: kind, closing, monitor });
}

/** Refuses to send credentials without encryption if the card was fetched with encryption. */
function checkEncryption(url: string, endpoint: string, options: ConnectOptions): void {
  const isWeaker = url.startsWith("https:") && !endpoint.startsWith("https:");
  if (!hasSecret(options) || !isWeaker) return;
  throw new SetupFaultError({ type: "secrecy", url, endpoint });
}

function hasSecret({ token, headers }: ConnectOptions): boolean {
  return token !== undefined || headers !== undefined;
}

/** Returns true if a card of either version says that requests need credentials. */
function requiresCredentials({ security, securityRequirements }: JsonObject): boolean {
  return [security, securityRequirements].some((list) => Array.isArray(list) && list.length > 0);
}

/** Sends a harmless request; throws if the agent refuses this client's credentials. */
async function checkCredentials(
  transport: Transport,
  version: A2aVersion,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await transport.call(METHOD_NAMES[version]["list-commands"], {}, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    // An error that is not a refusal may be temporary, or may only mean that the agent has no commands.
    if (isRefusal(cause)) throw new SetupFaultError({ type: "refused", why: cause.message }, cause);
  }
}

function isRefusal(reason: unknown): reason is TransportError {
  return isTransportError(reason) && (reason.status === 401 || reason.status === 403);
}

function speaksGemini(card: JsonObject, { dialect }: ConnectOptions): boolean {
  return dialect === undefined ? isGeminiCard(card) : dialect === "gemini";
}

/** Resolves an address of a card, which may be relative to the agent's address. */
function resolveListed(address: string, url: string): string {
  try {
    const { href, protocol } = new URL(address, url);
    if (/^(http|ws)s?:$/.test(protocol)) return href;
  } catch {
    // The error is thrown below.
  }
  throw new SetupFaultError({ type: "listed-address", listed: address });
}

/** A WebSocket implementation, and the address of the agent's socket in its card. */
interface ChosenSocket {
  readonly WebSocket: WebSocketConstructor;
  readonly listed: string;
}

/** Finds the socket to open; undefined if the options exclude a socket or no socket is available. */
function findSocket(card: JsonObject, options: ConnectOptions): ChosenSocket | undefined {
  const { transport = options.WebSocket === undefined ? "sse" : "auto" } = options;
  if (transport === "sse") return undefined;
  const WebSocket = options.WebSocket ?? findWebSocket();
  const listed = findSocketUrl(card);
  if (WebSocket !== undefined && listed !== undefined) return { WebSocket, listed };
  if (transport === "auto") return undefined;
  throw new SetupFaultError({ type: listed === undefined ? "no-socket" : "no-web-socket" });
}

/** Opens the socket; undefined if that fails and `auto` allows server-sent events instead. */
async function tryOpenSocket(
  open: () => Promise<Transport>,
  { transport = "auto", signal }: ConnectOptions,
): Promise<Transport | undefined> {
  try {
    return await open();
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (cause instanceof SetupFaultError) throw cause;
    if (transport === "auto") return undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SetupFaultError({ type: isRefusal(cause) ? "refused" : "socket", why }, cause);
  }
}

function replaceOrigin(address: string, url: string): string {
  const target = new URL(address);
  const given = new URL(url);
  target.host = given.host;
  const isSecure = given.protocol === "https:";
  if (target.protocol.startsWith("http")) target.protocol = given.protocol;
  else target.protocol = isSecure ? "wss:" : "ws:";
  return target.href;
}
