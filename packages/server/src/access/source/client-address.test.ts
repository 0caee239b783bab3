import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { findClientAddress } from "./client-address.js";

test.each([
  [undefined, true, "127.0.0.1"],
  ["192.0.2.9", false, "127.0.0.1"],
  ["192.0.2.9", true, "192.0.2.9"],
  ["198.51.100.1, 192.0.2.9", true, "192.0.2.9"],
  ["198.51.100.1, 2001:db8::1", true, "2001:db8::1"],
  ["evil", true, "127.0.0.1"],
])("X-Forwarded-For %j with trustsProxy %s means client %s", (forwarded, trustsProxy, address) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const request = { headers, socket: { remoteAddress: "127.0.0.1" } };

  expect(findClientAddress(request as unknown as IncomingMessage, { trustsProxy })).toBe(address);
});
