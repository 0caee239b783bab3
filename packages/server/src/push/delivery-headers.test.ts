import { createHmac } from "node:crypto";
import { DEFAULT_EXTENSION_URIS as uris } from "@dt/schema";
import { describe, expect, test } from "vitest";
import type { PushTarget } from "../store/push-record.js";
import { buildHeaders, sign } from "./delivery-headers.js";

const delivery = { id: "d1", position: 4, cursor: "4.abc", body: '{"a":"é"}' };
const now = Date.parse("2026-01-01T00:00:00.900Z");
const plain: PushTarget = {
  url: "https://example.com",
  version: "1.0",
  developmentTool: false,
  session: false,
  allEvents: false,
};
const headersOf = (target: Partial<PushTarget> = {}, secret?: string) =>
  buildHeaders(delivery, {
    target: { ...plain, ...target },
    uris,
    attempt: 2,
    now,
    ...(secret !== undefined && { secret }),
  });

test("the headers of a call contain its version, cursor, delivery id and attempt", () => {
  expect(headersOf()).toEqual({
    "Content-Type": "application/a2a+json",
    "User-Agent": "dt",
    "A2A-Version": "1.0",
    "X-DT-Cursor": "4.abc",
    "X-DT-Delivery": "d1",
    "X-DT-Attempt": "2",
  });
});

test("the content type and the extension header depend on the A2A version", () => {
  const old = headersOf({ version: "0.3", developmentTool: true, session: true });

  expect(old["Content-Type"]).toBe("application/json");
  expect(old["X-A2A-Extensions"]).toBe(`${uris.developmentTool}, ${uris.session}`);
  expect(headersOf({ developmentTool: true })["A2A-Extensions"]).toBe(uris.developmentTool);
});

test("the token and the credentials of a config are sent in separate headers", () => {
  const authentication = { schemes: ["Bearer"], credentials: "key" };

  expect(headersOf({ token: "t", authentication })).toMatchObject({
    "X-A2A-Notification-Token": "t",
    Authorization: "Bearer key",
  });
});

test("the Authorization header has the first scheme that is Bearer or Basic", () => {
  const authentication = { schemes: ["Negotiate", "Basic", "Bearer"], credentials: "dXNlcg==" };

  expect(headersOf({ authentication }).Authorization).toBe("Basic dXNlcg==");
});

test.each([
  ["Bearer without credentials", { schemes: ["Bearer"] }],
  ["credentials without a scheme", { schemes: [], credentials: "key" }],
  ["the scheme hmac", { schemes: ["hmac"], credentials: "key" }],
  ["the scheme HMAC-SHA256", { schemes: ["HMAC-SHA256"], credentials: "key" }],
  ["the scheme X-Signature", { schemes: ["X-Signature"], credentials: "key" }],
  ["Bearer beside HMAC", { schemes: ["Bearer", "HMAC"], credentials: "key" }],
])("no Authorization header is sent for %s", (_, authentication) => {
  expect(headersOf({ authentication })).not.toHaveProperty("Authorization");
});

describe("the signature of a call", () => {
  const signed = (key: string) => sign(delivery.body, key, now);

  test("the signature of a call is computed from the time in seconds and the body", () => {
    const mac = createHmac("sha256", "key").update('1767225600.{"a":"é"}').digest("hex");

    expect(signed("key")).toBe(`t=1767225600,v1=${mac}`);
  });

  test.each([
    [
      "the credentials of the scheme HMAC",
      { token: "t", authentication: { schemes: ["HMAC"], credentials: "sign" } },
      "sign",
    ],
    [
      "the server's secret if the credentials are sent",
      { token: "t", authentication: { schemes: ["Bearer"], credentials: "s" } },
      "server",
    ],
    [
      "the server's secret if the scheme HMAC has no credentials",
      { authentication: { schemes: ["HMAC"] } },
      "server",
    ],
  ])("the signature of a call is computed with %s", (_, target, key) => {
    expect(headersOf(target, "server")["X-DT-Signature"]).toBe(signed(key));
  });

  test("a call is not signed if there is no key", () => {
    expect(headersOf()).not.toHaveProperty("X-DT-Signature");
  });

  test.each<[string, Partial<PushTarget>, string?]>([
    ["a token", { token: "t" }],
    ["the credentials of Bearer", { authentication: { schemes: ["Bearer"], credentials: "c" } }],
    ["a server secret that is also the token", { token: "server" }, "server"],
    [
      "a server secret that is sent as credentials",
      {
        authentication: { schemes: ["Bearer"], credentials: "server" },
      },
      "server",
    ],
    ["a server secret that is part of the URL", { url: "https://example.com/?k=server" }, "server"],
    [
      "an HMAC secret that is also the token",
      {
        token: "s",
        authentication: { schemes: ["HMAC"], credentials: "s" },
      },
    ],
  ])("the signature of a call is not computed with %s [RFC-03]", (_, target, secret) => {
    expect(headersOf(target, secret)).not.toHaveProperty("X-DT-Signature");
  });
});
