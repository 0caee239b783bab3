import type { IncomingHttpHeaders } from "node:http";
import { encodeTokenProtocol } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { findBearerToken } from "./bearer-token.js";

const protocols = `dt.a2a.v1, ${encodeTokenProtocol("one")}`;

test.each([
  ["a token in the header", { authorization: "Bearer one" }, "one"],
  ["a lower-case scheme and several spaces", { authorization: "bearer   one" }, "one"],
  ["no header", {}, undefined],
  ["another scheme", { authorization: "Basic b25l" }, undefined],
  ["two words after the scheme", { authorization: "Bearer one two" }, undefined],
  ["a subprotocol, but no upgrade", { "sec-websocket-protocol": protocols }, undefined],
  ["an upgrade without a subprotocol", { upgrade: "websocket" }, undefined],
  [
    "an upgrade with a subprotocol",
    { upgrade: "websocket", "sec-websocket-protocol": protocols },
    "one",
  ],
  ["an upgrade with a header", { upgrade: "websocket", authorization: "Bearer one" }, "one"],
])("findBearerToken() reads a request with %s", (_, headers: IncomingHttpHeaders, token) => {
  expect(findBearerToken({ headers })).toBe(token);
});
