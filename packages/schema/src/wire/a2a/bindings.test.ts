import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeTokenProtocol, findTokenProtocol, WEBSOCKET_SUBPROTOCOLS } from "./bindings.js";

test("any token survives encoding as a subprotocol", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (token) => {
      const protocol = encodeTokenProtocol(token);

      // Characters that a WebSocket allows in a subprotocol.
      expect(protocol).toMatch(/^[\w!#$%&'*+.^`|~-]+$/);
      expect(findTokenProtocol([...WEBSOCKET_SUBPROTOCOLS, protocol])).toBe(token);
    }),
  );
});

test("findTokenProtocol ignores entries without a valid token", () => {
  expect(findTokenProtocol(WEBSOCKET_SUBPROTOCOLS)).toBeUndefined();
  expect(findTokenProtocol(["a2a.bearer."])).toBeUndefined();
  expect(findTokenProtocol(["a2a.bearer.%%%"])).toBeUndefined();
});
