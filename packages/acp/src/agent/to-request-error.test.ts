import { type ErrorCode, ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { toRequestError } from "./to-request-error.js";

test.each<[ErrorCode, number]>([
  ["invalid-message", -32602],
  ["forbidden", -32602],
  ["task-not-found", -32002],
  ["unauthenticated", -32000],
  ["agent-busy", -32603],
])("an editor gets the error %s of dt with the code %d and the same text", (code, expected) => {
  const faults: unknown[] = [];

  const error = toRequestError(new ProtocolError(code, "the reason"), (fault) =>
    faults.push(fault),
  );

  expect([error.code, error.message, faults]).toEqual([expected, "the reason", []]);
});

test("a fault of dt is reported, and the editor does not see its details", () => {
  const fault = new TypeError("a secret");
  const faults: unknown[] = [];

  const error = toRequestError(fault, (reason) => faults.push(reason));

  expect([error.code, faults]).toEqual([-32603, [fault]]);
  expect(error.message).not.toContain("secret");
});
