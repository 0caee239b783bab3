import { expect, test } from "vitest";
import { findRejected } from "./rejected-request.js";

const replied = { length: 9, hasReply: true };
const short = { length: 1, hasReply: false };
const long = { length: 5, hasReply: false };

test("the close code 1009 rejects the longest request without a reply", () => {
  const rejected = findRejected([short, replied, long], 1009, "");

  expect(rejected?.request).toBe(long);
  expect(rejected?.reason.code).toBe("too-large");
});

test.each([1003, 1007, 1008, 4400])(
  "the close code %i rejects the only request without a reply",
  (code) => {
    expect(findRejected([replied, short], code, "")).toMatchObject({
      request: short,
      reason: { code: "invalid-request" },
    });
    expect(findRejected([short, long], code, "")).toBeUndefined();
  },
);

test.each([1000, 1001, 1006, 1011, 1012])("the close code %i rejects no request", (code) => {
  expect(findRejected([short], code, "")).toBeUndefined();
});
