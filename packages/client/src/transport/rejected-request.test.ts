import { expect, test } from "vitest";
import { findBlamed } from "./rejected-request.js";

const heard = { length: 9, isHeard: true };
const short = { length: 1, isHeard: false };
const long = { length: 5, isHeard: false };

test("the longest request without a reply is too large", () => {
  const blamed = findBlamed([short, heard, long], 1009, "");

  expect(blamed?.request).toBe(long);
  expect(blamed?.reason.code).toBe("too-large");
});

test.each([1003, 1007, 1008, 4400])(
  "the code %i rejects the only request without a reply",
  (code) => {
    expect(findBlamed([heard, short], code, "")).toMatchObject({
      request: short,
      reason: { code: "invalid-request" },
    });
    expect(findBlamed([short, long], code, "")).toBeUndefined();
  },
);

test.each([1000, 1001, 1006, 1011, 1012])("the code %i is an ordinary break", (code) => {
  expect(findBlamed([short], code, "")).toBeUndefined();
});
