import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { type AgentClient, type ConnectOptions, connect, type SessionEvent } from "@dt/client";
import { createGeminiStandIn, type GeminiStandInOptions } from "@dt/client/testing";

export interface GeminiStageOptions extends GeminiStandInOptions {
  /** Keep-alive timeout of the server, in whole seconds. Node's default is 5. */
  readonly keepAliveSeconds?: number;
}

/** Serves the stand-in for gemini-cli's a2a-server on real sockets. */
export async function openGeminiStage({
  keepAliveSeconds = 5,
  ...options
}: GeminiStageOptions = {}) {
  const standIn = createGeminiStandIn(options);
  const endings = new Map<Socket, (() => void)[]>();
  const ended: Socket[] = [];
  const server = createServer({ keepAliveTimeout: keepAliveSeconds * 1_000 }, (req, res) => {
    const listeners = endings.get(req.socket) ?? [];
    const connection = { onEnd: (listener: () => void) => void listeners.push(listener) };
    void standIn.handle(toRequest(req), connection).then((response) => write(response, res));
  });
  server.on("connection", (socket: Socket) => {
    endings.set(socket, []);
    // `end` is emitted if the client closes the connection, but not if the server does.
    socket.on("end", () => {
      ended.push(socket);
      for (const listener of endings.get(socket) ?? []) listener();
    });
    socket.on("close", () => endings.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const clients: AgentClient[] = [];

  return {
    url,
    standIn,
    /** The connections that clients closed. */
    ended,
    async connect(connectOptions: ConnectOptions = {}): Promise<AgentClient> {
      const client = await connect(url, connectOptions);
      clients.push(client);
      return client;
    },
    /** Breaks every connection, as a network failure does. */
    cut(): void {
      for (const socket of [...endings.keys()]) socket.destroy();
      for (const listeners of endings.values()) for (const listener of listeners) listener();
    },
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Summarises an event as its state, its text or its tool call. */
export function brief(event: SessionEvent): string {
  switch (event.kind) {
    case "STATE_CHANGE":
      return event.state;
    case "TEXT_CONTENT":
      return `says ${event.text}`;
    case "TOOL_CALL_UPDATE": {
      const { toolName, status, confirmationRequest, liveContent } = event.toolCall;
      const asks = confirmationRequest === undefined ? "" : " asks";
      const prints = liveContent === undefined ? "" : ` prints ${liveContent}`;
      return `${toolName} ${status}${asks}${prints}`;
    }
    default:
      return event.kind;
  }
}

function toRequest(req: IncomingMessage): Request {
  const hasBody = req.method === "POST";
  return new Request(`http://${req.headers.host}${req.url}`, {
    method: req.method ?? "GET",
    ...(hasBody && { body: Readable.toWeb(req) as ReadableStream, duplex: "half" }),
  } as RequestInit);
}

async function write(response: Response, res: ServerResponse): Promise<void> {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  res.on("close", () => void reader?.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    res.write(value);
  }
  res.end();
}
