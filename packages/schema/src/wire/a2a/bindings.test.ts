import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeTokenProtocol, findTokenProtocol, WEBSOCKET_SUBPROTOCOL } from "./bindings.js";

test("a token passes as a subprotocol, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (token) => {
      const protocol = encodeTokenProtocol(token);

      // What a WebSocket lets through as a subprotocol.
      expect(protocol).toMatch(/^[\w!#$%&'*+.^`|~-]+$/);
      expect(findTokenProtocol([WEBSOCKET_SUBPROTOCOL, protocol])).toBe(token);
    }),
  );
});

test("what is not a token is none", () => {
  expect(findTokenProtocol([WEBSOCKET_SUBPROTOCOL])).toBeUndefined();
  expect(findTokenProtocol(["a2a.bearer."])).toBeUndefined();
  expect(findTokenProtocol(["a2a.bearer.%%%"])).toBeUndefined();
});
