import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type Caller, ERROR_CODES, isProtocolError, ProtocolError } from "@dt/schema";
import { rpcFailure, WEBSOCKET_SUBPROTOCOL } from "@dt/schema/wire";
import { type WebSocket, WebSocketServer } from "ws";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { checkSource, type LoopbackGuardOptions } from "../access/source/loopback-guard.js";
import { createCallLog, outcomeOf } from "../logging/call-log.js";
import { withLogContext } from "../logging/log-context.js";
import { type Logger, silentLogger } from "../logging/logger.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { closeCodes } from "./close-codes.js";
import { countUnfinished } from "./count-unfinished.js";
import { serveGuide } from "./guide-socket.js";
import { serveRpc } from "./rpc-socket.js";
import { notification, sendSessionEvents } from "./send-session-events.js";
import { serveWithoutUpgrade, wantsSocket } from "./serve-without-upgrade.js";
import { openSocketConnection, type SocketConnection } from "./socket-connection.js";
import { readSocketInfo, unaskedDialect } from "./socket-info.js";

/** What the WebSocket side is made of. */
export interface WebSocketOptions {
  readonly services: RpcServices;
  readonly guard: LoopbackGuardOptions;
  /** Who opens a socket; throws what refuses it. */
  authenticate(request: IncomingMessage): Caller | Promise<Caller>;
  /** Where calls and refusals are logged. Default: nowhere. */
  readonly logger?: Logger;
  /** Told of faults that are ours. */
  onFault(reason: unknown): void;
  /** Told of every socket that was accepted. */
  onConnect?(caller: Caller): void;
  /** Told of every one of them that has gone. */
  onDisconnect?(caller: Caller): void;
  /** Where messages count that are not whole yet. */
  readonly unfinished: UnfinishedBytes;
  /** The largest frame that is read. Default: 10 MiB. */
  readonly maxFrameBytes?: number;
  /** How often a socket must show that it is alive. Default: 30,000. */
  readonly pingMs?: number;
}

/** The sockets of a server. */
export interface WebSocketAttachment {
  /** How many are open. */
  readonly size: number;
  /** Says goodbye to all of them; resolves when they are gone. */
  close(): Promise<void>;
}

/** How long a socket may take to say goodbye. */
const GOODBYE_MS = 1_000;

/** Serves `/ws` on an HTTP server: JSON-RPC with the subprotocol `a2a.v1`, else the guide's frames. */
export function attachWebSocket(server: Server, options: WebSocketOptions): WebSocketAttachment {
  const { services, maxFrameBytes = 10 * 1024 * 1024, logger = silentLogger } = options;
  const logCall = createCallLog(logger, services.clock);
  const open = new Map<WebSocket, SocketConnection>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    // Pongs are ours, since the library queues one for each ping whether or not the client reads.
    autoPong: false,
    // One message a turn of the event loop: a burst of small ones shares it with everyone else.
    allowSynchronousEvents: false,
    handleProtocols: (offered) =>
      offered.has(WEBSOCKET_SUBPROTOCOL) ? WEBSOCKET_SUBPROTOCOL : false,
  });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!wantsSocket(request)) return serveWithoutUpgrade(request, socket, head, server);
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
        refuse(socket, reason);
        return outcomeOf(reason);
      });
    }
  }

  function accept(ws: WebSocket, request: IncomingMessage, caller: Caller): void {
    const credential = services.credentials.openSocket();
    open.set(ws, serveSocket(ws, request, { ...caller, credential }, options));
    options.onConnect?.(caller);
    // A socket closes outside of any work: the line belongs to this one all the same.
    const onClose = AsyncResource.bind(() => {
      open.delete(ws);
      services.credentials.end(credential);
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
      await Promise.all([...open.values()].map(sayGoodbye));
    },
  };
}

/** Checks whoever wants a socket as every route does. (SEC-01) */
async function admit(request: IncomingMessage, options: WebSocketOptions): Promise<Caller> {
  checkSource(request, options.guard);
  if (request.url?.split("?")[0] !== "/ws") {
    throw new ProtocolError("method-not-found", "there is no socket at this address");
  }
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  if (offered !== undefined && !offered.includes(WEBSOCKET_SUBPROTOCOL)) {
    throw new ProtocolError(
      "invalid-request",
      `Sec-WebSocket-Protocol: expected ${WEBSOCKET_SUBPROTOCOL} or none`,
    );
  }
  // Before the handshake: a version that is not spoken is an answer of its own.
  unaskedDialect(readSocketInfo(request), options.services);
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
    // What comes in knows whose it is.
    onText: AsyncResource.bind((text: string) => onText(text).catch(onFault)),
  });
  countUnfinished(ws, request.socket, { unfinished, drop: () => connection.terminate() });
  const info = readSocketInfo(request);
  const service = {
    connection,
    services,
    caller,
    info,
    logCall: createCallLog(logger, services.clock),
    onFault,
  };
  if (ws.protocol !== WEBSOCKET_SUBPROTOCOL) {
    onText = serveGuide(service);
    return connection;
  }
  onText = serveRpc(service);
  if (services.shared !== undefined && info.wantsUnasked) {
    const dialect = unaskedDialect(info, services);
    const watch = { services, dialect, envelope: notification, after: info.after };
    services
      .shared()
      .then((session) => sendSessionEvents(connection, { ...watch, session }))
      .catch((reason: unknown) => {
        if (!isProtocolError(reason)) onFault(reason);
        void connection.send(JSON.stringify(rpcFailure(null, reason)));
        connection.close(closeCodes.policy, "the events of this session cannot be sent");
      });
  }
  return connection;
}

function refuse(socket: Duplex, reason: unknown): void {
  const status = isProtocolError(reason) ? ERROR_CODES[reason.code].http : 500;
  const body = JSON.stringify(rpcFailure(null, reason));
  // A client that keeps its side open keeps no place with it.
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function sayGoodbye(connection: SocketConnection): Promise<void> {
  await new Promise<void>((resolve) => {
    connection.signal.addEventListener("abort", () => resolve());
    connection.close(closeCodes.goingAway, "the server is shutting down");
    setTimeout(() => connection.terminate(), GOODBYE_MS).unref();
  });
}
