import { ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { challengeHeaders } from "./challenge.js";

const refused = new ProtocolError("unauthenticated", 'the token "x" é\n was revoked');

test("the challenge to a request without a token has only the scheme and the realm", () => {
  expect(challengeHeaders(refused, { hasToken: false })).toEqual({
    "WWW-Authenticate": 'Bearer realm="dt"',
  });
});

test("a refused token is described with characters that a header may contain", () => {
  expect(challengeHeaders(refused, { hasToken: true })).toEqual({
    "WWW-Authenticate":
      'Bearer realm="dt", error="invalid_token", error_description="the token \'x\' \'\' was revoked"',
  });
});

test.each([new ProtocolError("forbidden", "no"), new Error("x"), undefined])(
  "an error that does not ask for authentication gets no challenge: %s",
  (reason) => {
    expect(challengeHeaders(reason, { hasToken: true })).toEqual({});
  },
);
