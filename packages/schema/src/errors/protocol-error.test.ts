import { expect, test } from "vitest";
import { ERROR_CODES, findErrorCode } from "./error-codes.js";
import { isProtocolError, ProtocolError } from "./protocol-error.js";

test("a ProtocolError has a code, a message, data and a cause", () => {
  const cause = new Error("socket closed");

  const error = new ProtocolError("agent-busy", "too many tasks", { cause, data: { limit: 3 } });

  expect(error).toMatchObject({
    name: "ProtocolError",
    code: "agent-busy",
    message: "too many tasks",
    data: { limit: 3 },
    cause,
  });
});

test("a message that repeats a very long value keeps its start and its end", () => {
  const value = "x".repeat(5_000_000);

  const { message } = new ProtocolError("invalid-message", `mode: got ${value}; use default`);

  expect(message).toHaveLength(2_000);
  expect(message).toMatch(/^mode: got x+…x+; use default$/);
});

test.each<[string, boolean, unknown]>([
  ["a ProtocolError", true, new ProtocolError("internal", "x")],
  [
    "an error of another copy of this package",
    true,
    Object.assign(new Error("x"), { name: "ProtocolError", code: "internal" }),
  ],
  [
    "an error with a code that this version does not know",
    false,
    Object.assign(new Error("x"), { name: "ProtocolError", code: "of-a-newer-version" }),
  ],
  ["an unrelated error", false, Object.assign(new Error("x"), { code: "ENOENT" })],
  ["a plain object", false, { name: "ProtocolError", code: "internal" }],
  ["undefined", false, undefined],
])("isProtocolError of %s is %s", (_, expected, value) => {
  expect(isProtocolError(value)).toBe(expected);
});

test("findErrorCode finds a code by its number", () => {
  expect(findErrorCode(-32008)).toBe("extension-required");
  expect(findErrorCode(-32050)).toBe("confirmation-closed");
  expect(findErrorCode(-1)).toBeUndefined();
});

test("every error code of our own is -32050 or lower", () => {
  const own = Object.values(ERROR_CODES).filter(
    ({ jsonRpc }) => jsonRpc <= -32010 && jsonRpc > -32600,
  );

  expect(own.every(({ jsonRpc }) => jsonRpc <= -32050)).toBe(true);
});
