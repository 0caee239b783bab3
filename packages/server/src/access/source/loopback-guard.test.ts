import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { checkListenAddress } from "../../serving/check-listen-address.js";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { issueToken } from "../auth/issue-token.js";
import { answerOrigin } from "./cross-origin.js";
import { isFromLoopback, isFromThisMachine } from "./from-loopback.js";
import { checkSource, isLoopback } from "./loopback-guard.js";

function requestWith(headers: Record<string, string>, method = "GET"): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  return Object.assign(request, { headers, method });
}

const guard = { allowedHosts: ["dt.example"], allowedOrigins: ["https://ide.example"] };

test.each([
  "localhost",
  "LOCALHOST:80",
  "127.0.0.1:8080",
  "127.9.9.9",
  "[::1]:80",
  "[::1]",
  "dt.example",
  "DT.example:1",
])("a request with the Host header %s is accepted", (host) => {
  expect(() => checkSource(requestWith({ host }), guard)).not.toThrow();
});

test.each([
  "evil.example",
  "128.0.0.1",
  "127.evil.example",
  "localhost.evil.example",
  "[::2]",
  "::1",
  "a:b:c",
  "",
])("a request with the Host header %j is refused", (host) => {
  expect(() => checkSource(requestWith({ host }), guard)).toThrow(
    expect.objectContaining({ code: "forbidden" }),
  );
});

test("a request is refused without a Host header, or with an origin that is not allowed", () => {
  const from = (origin: string) => () =>
    checkSource(requestWith({ host: "localhost", origin }), guard);

  expect(() => checkSource(requestWith({}), guard)).toThrow("Host header");
  expect(from("https://ide.example")).not.toThrow();
  expect(from("https://ide.example.evil")).toThrow("web pages of this origin");
  expect(from("null")).toThrow("web pages of this origin");
});

test.each([
  ["::1", true],
  ["127.0.0.1", true],
  ["0.0.0.0", false],
  ["127.example", false],
  ["::", false],
])("isLoopback() for the host %s returns %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test("a server listens on a public address only if somebody can authenticate [SEC-02]", async () => {
  const store = openMemoryStore();
  const authenticate = () => ({ user: "a", name: "a", role: "admin" as const });
  await checkListenAddress({ store });
  await checkListenAddress({ store, host: "localhost" });
  await checkListenAddress({ store, host: "0.0.0.0", authenticate });

  await expect(checkListenAddress({ store, host: "0.0.0.0" })).rejects.toThrow(
    "create a token first (dt-server token create --user NAME --name DEVICE --role admin)",
  );

  await issueToken(store, {
    user: "ada",
    name: "laptop",
    role: "admin",
    now: new Date(0),
    lifetimeMs: 1,
  });
  await expect(checkListenAddress({ store, host: "0.0.0.0" })).rejects.toThrow("create a token");
  await issueToken(store, { user: "ada", name: "laptop", role: "admin", now: new Date() });
  await checkListenAddress({ store, host: "0.0.0.0" });
});

const isLocal = (headers: Record<string, string>, remoteAddress?: string) => {
  const request = Object.assign(requestWith(headers), { socket: { remoteAddress } });
  return isFromLoopback(request as unknown as IncomingMessage);
};

test("a request is local only if its remote address is loopback", () => {
  const addresses = ["127.0.0.1", "::1", "10.0.0.1", undefined];

  expect(addresses.map((address) => isLocal({}, address))).toEqual([true, true, false, false]);
});

test.each([
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
])("a request over loopback with the header %s is not local", (name) => {
  expect(isLocal({ [name]: "x" }, "127.0.0.1")).toBe(false);
});

/** Passes a browser's request to `answerOrigin`. Returns the status and the headers of the response. */
function answer(headers: Record<string, string>, method: string, options = guard) {
  const request = requestWith(headers, method);
  const response = new ServerResponse(request);
  const isAnswered = answerOrigin(request, response, options);
  return {
    isAnswered,
    status: response.writableEnded && response.statusCode,
    ...response.getHeaders(),
  };
}

const origin = "https://ide.example";
const preflight = { origin, "access-control-request-method": "POST" };

test("a page of an allowed origin may send our request headers and read our response headers", () => {
  const headers =
    "Content-Type, Authorization, A2A-Version, A2A-Extensions, X-A2A-Extensions, X-DT-Client, " +
    "X-DT-Client-Id, X-Request-Id, Last-Event-ID, If-None-Match, Traceparent, Tracestate";

  expect(answer(preflight, "OPTIONS")).toEqual({
    isAnswered: true,
    status: 204,
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": headers,
    "access-control-max-age": "600",
  });
  expect(answer({ origin }, "POST")).toEqual({
    isAnswered: false,
    status: false,
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": expect.stringContaining("Retry-After"),
  });
  expect(answer(preflight, "GET")).not.toHaveProperty("access-control-allow-methods");
  expect(answer({ origin }, "OPTIONS").isAnswered).toBe(false);
});

test("private network access is granted only to a page that asks for it", () => {
  const name = "access-control-allow-private-network";
  const ask = (value: string) =>
    answer({ ...preflight, "access-control-request-private-network": value }, "OPTIONS");

  expect(ask("true")).toMatchObject({ [name]: "true" });
  expect(ask("false")).not.toHaveProperty(name);
});

test("a page of another origin gets no CORS headers", () => {
  const nobody = { ...guard, allowedOrigins: [] };

  expect(answer({ origin: "https://evil.example" }, "OPTIONS")).toEqual({
    isAnswered: false,
    status: false,
    vary: "Origin",
  });
  expect(answer({}, "GET")).toEqual({ isAnswered: false, status: false, vary: "Origin" });
  expect(answer(preflight, "OPTIONS", nobody)).toEqual({ isAnswered: false, status: false });
});

test.each([
  ["over loopback", true, { remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" }, {}],
  [
    "over two loopback addresses",
    true,
    { remoteAddress: "127.0.0.2", localAddress: "127.0.0.1" },
    {},
  ],
  [
    "over the machine's own address",
    true,
    { remoteAddress: "10.0.0.5", localAddress: "10.0.0.5" },
    {},
  ],
  ["from another address", false, { remoteAddress: "10.0.0.6", localAddress: "10.0.0.5" }, {}],
  ["on a closed socket", false, {}, {}],
  [
    "through a proxy on this machine",
    false,
    { remoteAddress: "10.0.0.5", localAddress: "10.0.0.5" },
    { via: "1.1 proxy" },
  ],
])("isFromThisMachine() for a request %s returns %s", (_, expected, socket, headers) => {
  const request = Object.assign(requestWith(headers), { socket });

  expect(isFromThisMachine(request as unknown as IncomingMessage)).toBe(expected);
});

test("pages of the server itself may use it, from its public origin or from the host of the request", () => {
  const own = {
    ...guard,
    ownPages: { scheme: "https", publicOrigin: "https://dt.public" },
  } as const;
  const from =
    (origin: string, host = "DT.example:8443") =>
    () =>
      checkSource(requestWith({ host, origin }), own);

  expect(from("https://dt.public")).not.toThrow();
  expect(from("https://dt.example:8443")).not.toThrow();
  expect(from("https://ide.example")).not.toThrow();
  for (const origin of ["http://dt.example:8443", "https://dt.example", "https://evil.example"])
    expect(from(origin)).toThrow("web pages of this origin");
  expect(() =>
    checkSource(requestWith({ host: "localhost", origin: "https://localhost" }), guard),
  ).toThrow("web pages of this origin");
});

test("an IP address is accepted as the host only with acceptsAddresses, and refusals are reported", () => {
  const refused: unknown[] = [];
  const onRefused = (_: unknown, reason: unknown) => refused.push(reason);
  const ask = (host: string, acceptsAddresses: boolean) => () =>
    checkSource(requestWith({ host }), { ...guard, acceptsAddresses, onRefused });

  expect(ask("10.1.2.3:80", true)).not.toThrow();
  expect(ask("[2001:db8::1]:80", true)).not.toThrow();
  expect(refused).toEqual([]);
  expect(ask("evil.example", true)).toThrow("Host header");
  expect(ask("10.1.2.3:80", false)).toThrow("Host header");
  expect(refused).toMatchObject([{ code: "forbidden" }, { code: "forbidden" }]);
});
