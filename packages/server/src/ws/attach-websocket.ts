import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type Caller, ERROR_CODES, isProtocolError, ProtocolError } from "@dt/schema";
import {
  findErrorVersion,
  PROPOSED_SUBPROTOCOL,
  rpcFailure,
  WEBSOCKET_SUBPROTOCOLS,
} from "@dt/schema/wire";
import { type WebSocket, WebSocketServer } from "ws";
import { findBearerToken } from "../access/auth/bearer-token.js";
import { challengeHeaders } from "../access/auth/challenge.js";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { retryHeaders } from "../access/rates/retry-headers.js";
import { checkSource, type LoopbackGuardOptions } from "../access/source/loopback-guard.js";
import { readVersionParameter } from "../access/source/version-parameter.js";
import { createCallLog, outcomeOf } from "../logging/call-log.js";
import { withLogContext } from "../logging/log-context.js";
import { type Logger, silentLogger } from "../logging/logger.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { CLOSE_CODES } from "./close-codes.js";
import { countUnfinished } from "./count-unfinished.js";
import { serveGuide } from "./guide-socket.js";
import { serveRpc } from "./rpc-socket.js";
import { NOTIFICATION, sendSessionEvents } from "./send-session-events.js";
import { isWebSocketUpgrade, serveWithoutUpgrade } from "./serve-without-upgrade.js";
import { openSocketConnection, type SocketConnection } from "./socket-connection.js";
import { readSocketInfo, unsolicitedDialect } from "./socket-info.js";

/** Options of {@link attachWebSocket}. */
export interface WebSocketOptions {
  readonly services: RpcServices;
  readonly guard: LoopbackGuardOptions;
  /** Returns the caller that opens a socket, or throws to refuse the socket. */
  authenticate(request: IncomingMessage): Caller | Promise<Caller>;
  /** Logs calls and refusals. Default: no log. */
  readonly logger?: Logger;
  /** Called with faults of the server. */
  onFault(reason: unknown): void;
  /** Called for every socket that was accepted. */
  onConnect?(caller: Caller): void;
  /** Called for every accepted socket that has closed. */
  onDisconnect?(caller: Caller): void;
  /** Counts the bytes of incomplete messages. */
  readonly unfinished: UnfinishedBytes;
  /** Maximum size of a frame. Default: 10 MiB. */
  readonly maxFrameBytes?: number;
  /** Interval of pings, in ms. Default: 30,000. */
  readonly pingMs?: number;
}

/** The sockets of a server. */
export interface WebSocketAttachment {
  /** Number of open sockets. */
  readonly size: number;
  /** Closes all sockets; resolves when they are closed. */
  close(): Promise<void>;
}

/** Time that the client has to answer a close frame. After that, the socket is terminated. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Serves `/ws` on an HTTP server: JSON-RPC if the client offers a subprotocol, else the guide's frames. */
export function attachWebSocket(server: Server, options: WebSocketOptions): WebSocketAttachment {
  const { services, maxFrameBytes = 10 * 1024 * 1024, logger = silentLogger } = options;
  const logCall = createCallLog(logger, services.clock);
  const open = new Map<WebSocket, SocketConnection>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    // We send pongs ourselves, because the library queues a pong for each ping even if the client does not read.
    autoPong: false,
    // The library emits one message per iteration of the event loop, so that many messages do not block other sockets.
    allowSynchronousEvents: false,
    handleProtocols: (offered) => WEBSOCKET_SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
  });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!isWebSocketUpgrade(request)) return serveWithoutUpgrade(request, socket, head, server);
    socket.on("error", () => {});
    try {
      const caller = await admit(request, options);
      sockets.handleUpgrade(request, socket, head, (ws) => {
        const context = { connectionId: randomUUID(), user: caller.user };
        withLogContext(context, () => accept(ws, request, caller));
      });
    } catch (reason) {
      await logCall("upgrade", async () => {
        if (!isProtocolError(reason)) options.onFault(reason);
        refuse(request, socket, reason);
        return outcomeOf(reason);
      });
    }
  }

  function accept(ws: WebSocket, request: IncomingMessage, caller: Caller): void {
    const { credentials } = services;
    const ended = credentials.findEnd(caller.credential);
    const credential = credentials.openSocket();
    const connection = serveSocket(ws, request, { ...caller, credential }, options);
    open.set(ws, connection);
    const onEnd = () => void closeConnection(connection, endOf(ended?.reason));
    ended?.addEventListener("abort", onEnd);
    options.onConnect?.(caller);
    // `bind` keeps the log context of this socket, because a socket emits `close` outside of this context.
    const onClose = AsyncResource.bind(() => {
      open.delete(ws);
      ended?.removeEventListener("abort", onEnd);
      credentials.end(credential);
      options.onDisconnect?.(caller);
    });
    ws.on("close", onClose);
  }

  server.on("upgrade", upgrade);
  return {
    get size() {
      return open.size;
    },
    async close() {
      server.off("upgrade", upgrade);
      await Promise.all([...open.values()].map((each) => closeConnection(each, SHUT_DOWN)));
    },
  };
}

/** Throws if a socket may not be opened. Otherwise returns the caller that opens it. (SEC-01) */
async function admit(request: IncomingMessage, options: WebSocketOptions): Promise<Caller> {
  checkSource(request, options.guard);
  if (request.url?.split("?")[0] !== "/ws") {
    throw new ProtocolError("method-not-found", "WebSockets are served only at /ws");
  }
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  if (offered !== undefined && !WEBSOCKET_SUBPROTOCOLS.some((name) => offered.includes(name))) {
    throw new ProtocolError(
      "invalid-request",
      `Sec-WebSocket-Protocol: expected ${WEBSOCKET_SUBPROTOCOLS.join(", ")} or none`,
    );
  }
  // This throws for an unsupported version before the handshake, so that the client gets an HTTP error.
  unsolicitedDialect(readSocketInfo(request), options.services);
  return await options.authenticate(request);
}

function serveSocket(
  ws: WebSocket,
  request: IncomingMessage,
  caller: Caller,
  { services, unfinished, onFault, logger = silentLogger, pingMs = 30_000 }: WebSocketOptions,
): SocketConnection {
  let onText: (text: string) => Promise<void> = async () => {};
  const connection = openSocketConnection(ws, {
    pingMs,
    // `bind` keeps the log context of this socket, because the library emits messages outside of this context.
    onText: AsyncResource.bind((text: string) => onText(text).catch(onFault)),
  });
  countUnfinished(ws, request.socket, { unfinished, drop: () => connection.terminate() });
  const info = readSocketInfo(request);
  const service = {
    connection,
    services,
    caller,
    info,
    isProposed: ws.protocol === PROPOSED_SUBPROTOCOL,
    logCall: createCallLog(logger, services.clock),
    onFault,
  };
  if (ws.protocol === "") {
    onText = serveGuide(service);
    return connection;
  }
  onText = serveRpc(service);
  if (services.shared !== undefined && info.wantsUnsolicited) {
    const dialect = unsolicitedDialect(info, services);
    const subscription = { services, dialect, envelope: NOTIFICATION, after: info.after };
    services
      .shared()
      .then((session) => sendSessionEvents(connection, { ...subscription, session }))
      .catch((reason: unknown) => {
        if (!isProtocolError(reason)) onFault(reason);
        void connection.send(JSON.stringify(dialect.encodeError(reason, null).body));
        connection.close(CLOSE_CODES.policy, "the events of this session cannot be sent");
      });
  }
  return connection;
}

function refuse(request: IncomingMessage, socket: Duplex, reason: unknown): void {
  const status = isProtocolError(reason) ? ERROR_CODES[reason.code].http : 500;
  const version = findErrorVersion(readVersionParameter(request), undefined);
  const body = JSON.stringify(rpcFailure(null, reason, version));
  const hasToken = findBearerToken(request) !== undefined;
  const headers = { ...challengeHeaders(reason, { hasToken }), ...retryHeaders(reason) };
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  // The client may keep its side open after the response, so the server destroys the socket.
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\n${lines}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Code and reason with which a socket is closed. */
type SocketEnd = readonly [code: number, reason: string];

const SHUT_DOWN: SocketEnd = [CLOSE_CODES.goingAway, "the server is shutting down"];

// A close frame has room for a reason of 123 bytes. A UTF-16 unit takes at most three bytes, so 41 units fit.
function endOf(reason: unknown): SocketEnd {
  const text = isProtocolError(reason) ? reason.message : "the token has ended";
  const isShort = Buffer.byteLength(text) <= 123;
  return [CLOSE_CODES.unauthenticated, isShort ? text : text.slice(0, 41)];
}

async function closeConnection(connection: SocketConnection, end: SocketEnd): Promise<void> {
  await new Promise<void>((resolve) => {
    connection.signal.addEventListener("abort", () => resolve());
    connection.close(...end);
    setTimeout(() => connection.terminate(), CLOSE_TIMEOUT_MS).unref();
  });
}
