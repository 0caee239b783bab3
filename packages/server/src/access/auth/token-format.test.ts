import { expect, test } from "vitest";
import {
  createTokenParts,
  decodeToken,
  digestSecret,
  encodeToken,
  hasDigest,
  isOurToken,
} from "./token-format.js";

test("decoding a token returns its parts, and no two tokens are equal", () => {
  const all = Array.from({ length: 100 }, createTokenParts);

  expect(all.map(encodeToken).map(decodeToken)).toEqual(all);
  expect(new Set(all.map(({ id }) => id)).size).toBe(100);
  expect(Buffer.from(all[0]?.secret ?? "", "base64url")).toHaveLength(32);
});

test.each(["", "dt_", "dt_0123456789abcdef", "dt_0123456789ABCDEF_x", `x${"y".repeat(80)}`])(
  "%j is not a token",
  (text) => {
    expect(decodeToken(text)).toBeUndefined();
  },
);

test("a damaged token is still recognised as a token of dt", () => {
  expect(isOurToken("dt_123")).toBe(true);
  expect(isOurToken("eyJhbGciOi")).toBe(false);
});

test("a secret matches its own digest only", () => {
  expect(hasDigest("one", digestSecret("one"))).toBe(true);
  expect(hasDigest("one", digestSecret("two"))).toBe(false);
  expect(hasDigest("one", "short")).toBe(false);
});
