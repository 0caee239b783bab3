import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { binOf } from "./real-servers.test-support.js";

/** A server on loopback that runs until it is disposed of. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts `server-everything`, a reference server from npm, as a process of its own. */
export async function startEverythingOverHttp(): Promise<HttpServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [binOf("server-everything"), "streamableHttp"], {
    env: { PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  let said = "";
  for await (const chunk of child.stderr) {
    said += chunk;
    if (said.includes("listening")) break;
  }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** A server of ours, built with the SDK, that can lose its sessions or answer wrongly. */
export interface FaultyHttpServer extends HttpServer {
  readonly port: number;
  /** Emits `call` for each call of `never_answer`. */
  readonly events: EventEmitter;
  forgetSessions(): void;
  /** Calls `answer` for the next POST request. The server itself does not answer that request. */
  answerNext(answer: (response: ServerResponse) => void): void;
}

/** Opens the server on the given port, by default on a free port. */
export async function openHttpServer({
  port = 0,
  token,
}: {
  readonly port?: number;
  readonly token?: string;
} = {}): Promise<FaultyHttpServer> {
  const events = new EventEmitter();
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  let answerNext: ((response: ServerResponse) => void) | undefined;
  const http = createServer(async (request, response) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      return void response.writeHead(401).end(`not ${request.headers.authorization}`);
    }
    if (answerNext !== undefined && request.method === "POST") {
      const answer = answerNext;
      answerNext = undefined;
      return answer(response);
    }
    const sessionId = request.headers["mcp-session-id"];
    if (sessionId === undefined) return (await openSession()).handleRequest(request, response);
    const session = sessions.get(String(sessionId));
    if (session === undefined) return void response.writeHead(404).end();
    await session.handleRequest(request, response);
  });
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  const { port: bound } = http.address() as AddressInfo;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}/mcp`,
    events,
    forgetSessions: () => sessions.clear(),
    answerNext(answer) {
      answerNext = answer;
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      if (http.listening) http.close();
    },
  };

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: "remote", version: "1.0.0" });
    server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
    server.registerTool("never_answer", {}, () => {
      events.emit("call");
      return new Promise(() => {});
    });
    // The cast is needed because the SDK's class does not match its own interface exactly.
    await server.connect(transport as Parameters<McpServer["connect"]>[0]);
    return transport;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
