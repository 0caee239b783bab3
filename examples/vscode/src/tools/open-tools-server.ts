import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpServer as NamedServer } from "@dt/client";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createToolsServer } from "./create-tools-server.js";
import type { EditorContext } from "./editor-context.js";

const HOST = "127.0.0.1";

const MAX_BODY_BYTES = 100_000;

/** Address and token of the editor's tools. */
export interface ToolsAddress {
  readonly port: number;
  readonly token: string;
}

/** An MCP server with the tools of the editor. */
export interface ToolsServer {
  readonly address: ToolsAddress;
  /** The server, as the settings of a task name it. */
  readonly named: NamedServer;
  close(): void;
}

/**
 * Serves the editor's tools over HTTP on loopback. After a reload of the window, `earlier` is the previous
 * address, which the continued conversation still uses. If its port is taken, another port and another token
 * are chosen.
 */
export async function openToolsServer(
  context: EditorContext,
  earlier?: ToolsAddress,
): Promise<ToolsServer> {
  let token = earlier?.token ?? randomBytes(32).toString("base64url");
  const http = createServer((request, response) => {
    const fault = findFault(request, { token, port });
    if (fault !== undefined) return void refuse(response, fault);
    serve(request, response, context).catch(() => response.destroy());
  });
  let port = await listen(http, earlier?.port ?? 0).catch(() => 0);
  if (port === 0) {
    token = randomBytes(32).toString("base64url");
    port = await listen(http, 0);
  }
  return {
    address: { port, token },
    named: {
      url: `http://${HOST}:${port}/mcp`,
      headers: { Authorization: `Bearer ${token}` },
      args: [],
      env: {},
      options: undefined,
    },
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

async function listen(http: Server, port: number): Promise<number> {
  http.listen(port, HOST);
  await once(http, "listening");
  return (http.address() as AddressInfo).port;
}

// region: snippet
/** Returns the HTTP status with which a request is refused; undefined if the request may be served. */
function findFault(
  { method, url, headers }: IncomingMessage,
  { token, port }: ToolsAddress,
): number | undefined {
  // Requests of web pages are refused. Such a request has an Origin, or its Host is the page's own name, even
  // if that name resolves to loopback.
  if (headers.host !== `${HOST}:${port}` || headers.origin !== undefined) return 403;
  if (!isEqual(headers.authorization ?? "", `Bearer ${token}`)) return 401;
  if (url !== "/mcp") return 404;
  if (method !== "POST") return 405;
  // A body without a length could be endless.
  const length = Number(headers["content-length"] ?? Number.NaN);
  return length <= MAX_BODY_BYTES ? undefined : 413;
}
// endregion

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
}

/** Serves one request. Each request gets its own MCP server, because the tools have no state. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  context: EditorContext,
): Promise<void> {
  const server = createToolsServer(context);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on("close", () => void server.close());
  // The SDK's type of a transport does not allow for exact optional properties.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response);
}
