import { expect, test } from "vitest";
import { isOwnOrigin } from "./face-port.js";

const ada = { principal: "ada", name: "terminal" };

test.each([
  ["no user and no name", true, {}],
  ["the user of the origin", true, { principal: "ada" }],
  ["another user", false, { principal: "bob" }],
  ["the name of the origin", true, { name: "terminal" }],
  ["another name", false, { name: "phone" }],
  ["the user and the name of the origin", true, { principal: "ada", name: "terminal" }],
  ["the user of the origin and another name", false, { principal: "ada", name: "phone" }],
  ["another user and the name of the origin", false, { principal: "bob", name: "terminal" }],
])("isOwnOrigin for a face that has %s returns %s", (_, expected, own) => {
  expect(isOwnOrigin({ own }, ada)).toBe(expected);
});
