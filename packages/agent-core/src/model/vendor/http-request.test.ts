import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { openBodyReader } from "./body-reader.js";
import { type HttpResponse, sendRequest } from "./http-request.js";

/** A server on loopback. `sockets` lists the connections that clients opened. */
async function openServer(listener: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer(listener).listen(0, "127.0.0.1");
  server.on("connection", (socket) => sockets.push(socket));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/path`),
    sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const send = (url: URL, signal = new AbortController().signal) =>
  sendRequest(url, { method: "POST", headers: { "x-key": "k" }, body: "grüße", signal });

async function readText({ body }: HttpResponse): Promise<string> {
  const reader = openBodyReader(body);
  let text = "";
  for (let bytes = await reader.read(); bytes; bytes = await reader.read()) text += bytes;
  reader.close();
  return text;
}

const echo: RequestListener = (request, response) => {
  request.pipe(response);
};

test("a request arrives with its method, headers and body", async () => {
  await using server = await openServer((request, response) => {
    response.writeHead(201, { "x-seen": `${request.method} ${request.headers["x-key"]}` });
    request.pipe(response);
  });

  const response = await send(server.url);

  expect([response.status, response.headers.get("x-seen")]).toEqual([201, "POST k"]);
  expect(await readText(response)).toBe("grüße");
});

test("two requests, one after the other, use one connection", async () => {
  await using server = await openServer(echo);
  await readText(await send(server.url));
  await readText(await send(server.url));

  expect(server.sockets).toHaveLength(1);
});

test("a request is sent again if the server closes a reused connection", async () => {
  let requests = 0;
  await using server = await openServer((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.resetAndDestroy();
    else request.pipe(response);
  });
  await readText(await send(server.url));

  expect(await readText(await send(server.url))).toBe("grüße");
  expect(requests).toBe(3);
});

test("a request is not sent again if a new connection breaks", async () => {
  let requests = 0;
  await using server = await openServer((request) => {
    requests += 1;
    request.socket.resetAndDestroy();
  });

  await expect(send(server.url)).rejects.toThrow("ECONNRESET");
  expect(requests).toBe(1);
});

test("an abort rejects a read that waits for more of the body", async () => {
  await using server = await openServer((_request, response) => void response.write("first"));
  const abort = new AbortController();
  const response = await send(server.url, abort.signal);
  const reader = openBodyReader(response.body);
  await reader.read();
  const waiting = reader.read();
  abort.abort();

  await expect(waiting).rejects.toThrow();
});

test("closing a body that has not ended closes its connection", async () => {
  await using server = await openServer((_request, response) => void response.write("first"));
  const { body } = await send(server.url);
  const reader = openBodyReader(body);
  await reader.read();
  const [socket] = server.sockets;
  const closed = socket && once(socket, "close");
  reader.close();

  await closed;
  expect(socket?.destroyed).toBe(true);
});
