import { expect, test } from "vitest";
import { isOwnOrigin } from "./face-port.js";

const ada = { principal: "ada", name: "terminal" };

test.each([
  ["neither user nor name", true, {}],
  ["the same user", true, { principal: "ada" }],
  ["another user", false, { principal: "bob" }],
  ["the same name", true, { name: "terminal" }],
  ["another name", false, { name: "phone" }],
  ["the same user and the same name", true, { principal: "ada", name: "terminal" }],
  ["the same user and another name", false, { principal: "ada", name: "phone" }],
  ["another user and the same name", false, { principal: "bob", name: "terminal" }],
])("isOwnOrigin for a face with %s returns %s", (_, expected, own) => {
  expect(isOwnOrigin({ own }, ada)).toBe(expected);
});
