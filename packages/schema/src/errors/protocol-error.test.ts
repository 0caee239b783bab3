import { expect, test } from "vitest";
import { ERROR_CODES, findErrorCode } from "./error-codes.js";
import { isProtocolError, ProtocolError } from "./protocol-error.js";

test("an error has a code, a message, data and a cause", () => {
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

test.each<[string, unknown, boolean]>([
  ["a ProtocolError", new ProtocolError("internal", "x"), true],
  [
    "an error of another copy of this package",
    Object.assign(new Error("x"), { name: "ProtocolError", code: "internal" }),
    true,
  ],
  ["an unrelated error", Object.assign(new Error("x"), { code: "ENOENT" }), false],
  ["a plain object", { name: "ProtocolError", code: "internal" }, false],
  ["undefined", undefined, false],
])("isProtocolError decides about %s", (_, value, expected) => {
  expect(isProtocolError(value)).toBe(expected);
});

test("findErrorCode finds a code by its number", () => {
  expect(findErrorCode(-32008)).toBe("extension-required");
  expect(findErrorCode(-32050)).toBe("confirmation-closed");
  expect(findErrorCode(-1)).toBeUndefined();
});

test("our own codes start at -32050", () => {
  const own = Object.values(ERROR_CODES).filter(
    ({ jsonRpc }) => jsonRpc <= -32010 && jsonRpc > -32600,
  );

  expect(own.every(({ jsonRpc }) => jsonRpc <= -32050)).toBe(true);
});
