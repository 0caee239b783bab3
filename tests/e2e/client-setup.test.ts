import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from "node:net";
import { connect, SetupError } from "@dt/client";
import { createFakeAgent } from "@dt/client/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { SELF_SIGNED } from "./support/self-signed.js";

/** Listens on a free port until disposed. */
async function listen(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

async function reasonOf(url: string): Promise<string> {
  const reason = await connect(url).catch((error: unknown) => error);
  expect(reason).toBeInstanceOf(SetupError);
  return (reason as SetupError).message;
}

function answerAsSsh(socket: Socket): void {
  socket.on("error", () => {});
  socket.end("SSH-2.0-nobody\r\n", () => socket.destroy());
}

test.each([
  [
    "a self-signed certificate",
    () => createHttpsServer(SELF_SIGNED),
    "https",
    (host: string) =>
      `the certificate of ${host} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); start this program with NODE_EXTRA_CA_CERTS=<certificate file>, or pass a \`fetch\` that trusts it`,
  ],
  [
    "https to a server that uses only http",
    () => createHttpServer(),
    "https",
    (host: string) =>
      `${host} does not use TLS (ERR_SSL_WRONG_VERSION_NUMBER); if the agent is not encrypted, use http://${host}/`,
  ],
  [
    "http to a server that uses only https",
    () => createHttpsServer(SELF_SIGNED),
    "http",
    (host: string) =>
      `${host} closed the connection; if the agent is encrypted, use https://${host}/, else read its log`,
  ],
  [
    "a port that another service uses",
    () => createTcpServer(answerAsSsh),
    "http",
    (host: string) => `${host} is not an HTTP server; correct the port in http://${host}/`,
  ],
])(
  "the error of connect() explains %s and names the fix [PKG-03]",
  async (_, create, protocol, expected) => {
    await using server = await listen(create());

    const message = await reasonOf(`${protocol}://${server.host}/`);

    expect(message).toBe(expected(server.host));
  },
);

test("a port without a listener is reported with its address and a hint [PKG-03]", async () => {
  const { host, [Symbol.asyncDispose]: close } = await listen(createTcpServer());
  await close();

  const message = await reasonOf(`http://${host}/`);

  expect(message).toBe(
    `no agent answers at http://${host}/; is it running? Nothing listens on that port`,
  );
});

test.each(["sse", "websocket", "auto"] as const)(
  "connect rejects if the card is public but the token is refused, over %s [PKG-03]",
  async (transport) => {
    const { fetch, url } = createFakeAgent();
    const card = await (await fetch(`${url}.well-known/agent-card.json`)).text();
    const gate = createHttpServer((request, response) => {
      response.writeHead(request.method === "GET" ? 200 : 401).end(card);
    });
    gate.on("upgrade", (_, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n"));
    await using server = await listen(gate);

    const refused = await connect(`http://${server.host}/`, {
      transport,
      WebSocket,
      token: "old",
      keepsOrigin: true,
    }).catch((reason: unknown) => reason);

    expect(refused).toBeInstanceOf(SetupError);
    expect((refused as SetupError).message).toBe(
      "the agent answered HTTP 401; pass a valid `token` to connect()",
    );
  },
);
