import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type ClientRequest, createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { parseAllowList } from "@dt/schema/address";
import { expect, onTestFinished, test } from "vitest";
import { createAddressGuard } from "./address/address-guard.js";
import { createPoster, type Post, readRetryAfter } from "./post-delivery.js";

/** Opens a receiver on a real socket, and a poster that may call it. */
async function openReceiver(
  onRequest: RequestListener,
  allowed: readonly string[] = ["127.0.0.1"],
  timeoutMs = 60_000,
) {
  const server = createServer(onRequest).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const guard = createAddressGuard({
    allowList: parseAllowList(allowed),
    resolveName: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  const poster = createPoster({ guard, timeoutMs, now: () => new Date() });
  const abort = new AbortController();
  return {
    server,
    abort,
    url: `http://127.0.0.1:${port}/hook?x=1`,
    named: `http://hooks.example:${port}/hook`,
    close: poster.close,
    post: (url: string, overrides: Partial<Post> = {}) =>
      poster.post({ url, headers: { "X-A": "b" }, body: "é", signal: abort.signal, ...overrides }),
    async [Symbol.asyncDispose]() {
      poster.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const answer =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end("thank you");

test("a receiver gets the headers and the body of a post", async () => {
  const seen: unknown[] = [];
  await using receiver = await openReceiver(async (request, response) => {
    const chunks = await request.toArray();
    const { method, url, headers } = request;
    seen.push({ method, url, a: headers["x-a"], length: headers["content-length"] });
    seen.push(Buffer.concat(chunks).toString());
    response.end();
  });

  const outcome = await receiver.post(receiver.url);

  expect(outcome).toEqual({ type: "accepted" });
  expect(seen).toEqual([{ method: "POST", url: "/hook?x=1", a: "b", length: "2" }, "é"]);
});

test.each([200, 201, 202, 204, 299])(
  "a post is accepted if the answer has the status %i",
  async (status) => {
    await using receiver = await openReceiver(answer(status));

    expect(await receiver.post(receiver.url)).toEqual({ type: "accepted" });
  },
);

test.each([
  [500, { error: "the receiver answered 500", isFinal: false }],
  [404, { error: "the receiver answered 404", isFinal: false }],
  [401, { error: "the receiver answered 401", isFinal: false }],
  [410, { error: "the receiver answered 410", isFinal: true }],
  [300, { error: "the receiver answered 300; redirects are not followed", isFinal: false }],
  [304, { error: "the receiver answered 304; redirects are not followed", isFinal: false }],
  [399, { error: "the receiver answered 399; redirects are not followed", isFinal: false }],
  [400, { error: "the receiver answered 400", isFinal: false }],
])("a post is refused if the answer has the status %i", async (status, expected) => {
  await using receiver = await openReceiver(answer(status));

  expect(await receiver.post(receiver.url)).toEqual({ type: "refused", ...expected });
});

test("the outcome of a post contains the Retry-After of the answer", async () => {
  await using receiver = await openReceiver(answer(429, { "Retry-After": "7" }));

  expect(await receiver.post(receiver.url)).toMatchObject({ retryAfterMs: 7_000 });
});

test.each([301, 302, 303, 307, 308])("the redirect %i is not followed", async (status) => {
  const paths: unknown[] = [];
  await using receiver = await openReceiver((request, response) => {
    paths.push(request.url);
    response.writeHead(status, { Location: "/elsewhere" }).end();
  });

  const outcome = await receiver.post(receiver.url);

  expect(outcome).toEqual({
    type: "refused",
    error: `the receiver answered ${status}; redirects are not followed`,
    isFinal: false,
  });
  expect(paths).toEqual(["/hook?x=1"]);
});

test("a post is refused after the timeout if the receiver does not answer", async () => {
  await using receiver = await openReceiver(() => {}, ["127.0.0.1"], 200);

  expect(await receiver.post(receiver.url)).toEqual({
    type: "refused",
    error: "the receiver did not answer within 200 ms",
    isFinal: false,
  });
});

test("a post is refused if the receiver closes the connection without an answer", async () => {
  await using receiver = await openReceiver((request) => request.socket.destroy());

  expect(await receiver.post(receiver.url)).toEqual({
    type: "refused",
    error: "the receiver could not be reached (ECONNRESET)",
    isFinal: false,
  });
});

test("a post is refused if the receiver closes the connection within the headers of its answer", async () => {
  await using receiver = await openReceiver((request) =>
    request.socket.end("HTTP/1.1 200 OK\r\nContent-Le"),
  );

  expect(await receiver.post(receiver.url)).toMatchObject({ type: "refused" });
});

test("a post is refused if the receiver does not answer in HTTP", async () => {
  await using receiver = await openReceiver((request) => request.socket.end("SSH-2.0-x\r\n"));

  expect(await receiver.post(receiver.url)).toMatchObject({ type: "refused" });
});

test("a post is refused at once if the receiver switches protocols", async () => {
  const closed: Promise<unknown>[] = [];
  await using receiver = await openReceiver(({ socket }) => {
    closed.push(once(socket, "close"));
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  });

  const outcome = await receiver.post(receiver.url);
  await Promise.all(closed);

  expect(closed).toHaveLength(1);
  expect(outcome).toEqual({ type: "refused", error: "the receiver answered 101", isFinal: false });
});

test("a post is refused after the timeout if the receiver sends only interim answers", async () => {
  await using receiver = await openReceiver(
    ({ socket }) => {
      const more = () => {
        if (!socket.destroyed) socket.write("HTTP/1.1 103 Early Hints\r\n\r\n", () => more());
      };
      more();
    },
    ["127.0.0.1"],
    200,
  );

  expect(await receiver.post(receiver.url)).toMatchObject({
    error: "the receiver did not answer within 200 ms",
  });
});

test("a post whose host name is never resolved ends at its timeout or when its signal aborts", async () => {
  const guard = createAddressGuard({
    allowList: parseAllowList([]),
    resolveName: () => new Promise(() => {}),
  });
  const poster = createPoster({ guard, timeoutMs: 50, now: () => new Date() });
  const post = { url: "http://hooks.example/", headers: {}, body: "", signal: AbortSignal.any([]) };
  const abort = new AbortController();

  const called = poster.post({ ...post, signal: abort.signal });
  abort.abort();

  expect(await called).toMatchObject({ type: "refused" });
  expect(await poster.post(post)).toMatchObject({
    error: "the receiver did not answer within 50 ms",
  });
  poster.close();
});

test("a post is accepted even if the body of the answer is incomplete", async () => {
  await using receiver = await openReceiver((_request, response) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write("only this");
    setImmediate(() => response.destroy());
  });

  expect(await receiver.post(receiver.url)).toEqual({ type: "accepted" });
});

test("a post is accepted even if the body of the answer is invalid", async () => {
  await using receiver = await openReceiver((request) =>
    request.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more\r\n\r\n"),
  );

  expect(await receiver.post(receiver.url)).toEqual({ type: "accepted" });
});

test("a post is accepted after the first part of an endless answer was read", async () => {
  let sent = 0;
  await using receiver = await openReceiver((_request, response) => {
    const chunk = Buffer.alloc(16 * 1024);
    const more = () => {
      if (response.destroyed) return;
      sent += chunk.length;
      response.write(chunk, more);
    };
    more();
  });

  expect(await receiver.post(receiver.url)).toEqual({ type: "accepted" });
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

test("the error of a post contains the code of a refused connection", async () => {
  await using receiver = await openReceiver(answer(200));
  const { url } = receiver;
  receiver.server.close();
  await once(receiver.server, "close");

  const outcome = await receiver.post(url);
  receiver.server.listen(0, "127.0.0.1");

  expect(outcome).toMatchObject({ error: "the receiver could not be reached (ECONNREFUSED)" });
});

test("an error without a code is reported without one", async () => {
  const guard = createAddressGuard({
    allowList: parseAllowList([]),
    resolveName: () => Promise.reject(new Error("the resolver is broken")),
  });
  const poster = createPoster({ guard, timeoutMs: 60_000, now: () => new Date() });
  onTestFinished(() => poster.close());
  const { signal } = new AbortController();

  const outcome = await poster.post({
    url: "http://hooks.example/",
    headers: {},
    body: "",
    signal,
  });

  expect(outcome).toMatchObject({ error: "the receiver could not be reached" });
});

test("a post ends at once when its signal aborts", async () => {
  await using receiver = await openReceiver(() => receiver.abort.abort());

  expect(await receiver.post(receiver.url)).toMatchObject({ type: "refused" });
});

test("a post whose signal is already aborted is not sent", async () => {
  let calls = 0;
  await using receiver = await openReceiver((_request, response) => {
    calls += 1;
    response.end();
  });

  const outcome = await receiver.post(receiver.url, { signal: AbortSignal.abort() });

  expect(outcome).toMatchObject({ type: "refused" });
  expect(calls).toBe(0);
});

test("a connection is reused, and reported as stale if the receiver closed it", async () => {
  const ports: unknown[] = [];
  let isClosing = false;
  await using receiver = await openReceiver((request, response) => {
    ports.push(request.socket.remotePort);
    if (isClosing) request.socket.destroy();
    else response.end();
  });

  const outcomes = [await receiver.post(receiver.url), await receiver.post(receiver.url)];
  isClosing = true;
  outcomes.push(await receiver.post(receiver.url));
  isClosing = false;
  outcomes.push(await receiver.post(receiver.url));

  expect(outcomes.map(({ type }) => type)).toEqual(["accepted", "accepted", "stale", "accepted"]);
  expect(new Set(ports).size).toBe(2);
});

test.each([
  ["reused", 60_000, 1],
  ["closed", 200_000, 2],
])("the connection is %s after an answer of %i bytes", async (_fate, length, connections) => {
  const ports = new Set<unknown>();
  await using receiver = await openReceiver((request, response) => {
    ports.add(request.socket.remotePort);
    response.end("x".repeat(length));
  });

  const outcomes = [await receiver.post(receiver.url), await receiver.post(receiver.url)];

  expect(outcomes).toEqual([{ type: "accepted" }, { type: "accepted" }]);
  expect(ports.size).toBe(connections);
});

test("a post is accepted if the answer began before the timeout and never ends", async () => {
  await using receiver = await openReceiver(
    (_request, response) => void response.writeHead(200).write("thank you"),
    ["127.0.0.1"],
    200,
  );

  expect(await receiver.post(receiver.url)).toEqual({ type: "accepted" });
});

test("one idle connection per receiver stays open until the poster closes", async () => {
  const open = new Set<Socket>();
  let letAnswer = () => {};
  const areBothOpen = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  await using receiver = await openReceiver(async ({ socket }, response) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    if (open.size === 2) letAnswer();
    await areBothOpen;
    response.end();
  });

  await Promise.all([receiver.post(receiver.url), receiver.post(receiver.url)]);
  await expect.poll(() => open.size).toBe(1);
  expect(await receiver.post(receiver.url)).toEqual({ type: "accepted" });
  expect(open.size).toBe(1);
  receiver.close();

  await expect.poll(() => open.size).toBe(0);
});

test("a post is refused before the receiver is called if the name resolves to this machine", async () => {
  let calls = 0;
  const count: RequestListener = (_request, response) => {
    calls += 1;
    response.end();
  };
  await using refusing = await openReceiver(count, []);
  await using allowing = await openReceiver(count, ["hooks.example"]);

  const refused = await refusing.post(refusing.named);
  const literal = await refusing.post(refusing.url);
  const allowed = await allowing.post(allowing.named);

  expect(refused).toEqual({
    type: "refused",
    error: "the receiver's address is not allowed",
    isFinal: false,
    addresses: ["127.0.0.1"],
  });
  expect(literal).toMatchObject({ error: "the receiver's address is not allowed" });
  expect(allowed).toEqual({ type: "accepted" });
  expect(calls).toBe(1);
});

test.each([
  ["3", 3_000],
  ["0", 0],
  ["Thu, 01 Jan 2026 00:00:05 GMT", 5_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
])("the Retry-After header %j means a wait of %i ms", (header, ms) => {
  expect(readRetryAfter(header, new Date("2026-01-01T00:00:00Z"))).toBe(ms);
});

test("a Retry-After header that is missing, invalid or too long is ignored", () => {
  const headers = [undefined, "soon", "99999999999"];

  expect(headers.map((header) => readRetryAfter(header, new Date()))).toEqual(
    headers.map(() => undefined),
  );
});

/** Breaks the connection of each further request with the error that the operating system would give. */
function breakConnections(code: string) {
  const breakOne = (message: unknown) => {
    const { request } = message as { readonly request: ClientRequest };
    request.socket?.destroy(Object.assign(new Error(`write ${code}`), { code }));
  };
  subscribe("http.client.request.start", breakOne);
  onTestFinished(() => void unsubscribe("http.client.request.start", breakOne));
}

test.each([
  ["EPIPE", "stale"],
  ["ECONNRESET", "stale"],
  ["ETIMEDOUT", "refused"],
])("a reused connection that breaks with %s makes the post %s", async (code, type) => {
  await using receiver = await openReceiver(answer(200));
  await receiver.post(receiver.url);

  breakConnections(code);

  expect(await receiver.post(receiver.url)).toMatchObject({ type });
});

test("a new connection that breaks makes the post refused, and not stale", async () => {
  await using receiver = await openReceiver(answer(200));

  breakConnections("EPIPE");

  expect(await receiver.post(receiver.url)).toEqual({
    type: "refused",
    error: "the receiver could not be reached (EPIPE)",
    isFinal: false,
  });
});

test.each(["http", "https"])(
  "a call over %s that waits for an answer ends when the poster closes",
  async (scheme) => {
    const server = createTcpServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const guard = createAddressGuard({
      allowList: parseAllowList(["127.0.0.1"]),
      resolveName: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    const poster = createPoster({ guard, timeoutMs: 600_000, now: () => new Date() });
    const { signal } = new AbortController();
    const post = { url: `${scheme}://127.0.0.1:${port}/`, headers: {}, body: "", signal };

    const called = poster.post(post);
    const [socket] = (await once(server, "connection")) as [Socket];
    poster.close();

    expect(await called).toMatchObject({ type: "refused", isFinal: false });
    socket.destroy();
    server.close();
  },
);
