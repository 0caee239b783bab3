import { expect, test } from "vitest";
import { isOwnOrigin } from "./face-port.js";

const ada = { principal: "ada", name: "terminal" };

test.each([
  ["names nothing", {}, true],
  ["names the same principal", { principal: "ada" }, true],
  ["names another principal", { principal: "bob" }, false],
  ["names the same name", { name: "terminal" }, true],
  ["names another name", { name: "phone" }, false],
  ["names both", { principal: "ada", name: "terminal" }, true],
  ["names the same principal and another name", { principal: "ada", name: "phone" }, false],
  ["names another principal and the same name", { principal: "bob", name: "terminal" }, false],
])("isOwnOrigin compares an origin with a face that %s", (_, own, expected) => {
  expect(isOwnOrigin({ own }, ada)).toBe(expected);
});
