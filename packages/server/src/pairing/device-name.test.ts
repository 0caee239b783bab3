import { expect, test } from "vitest";
import { toDeviceName } from "./device-name.js";

test.each([
  ["Ada's iPhone 17", [], "Ada-s-iPhone-17"],
  ["Zoë", [], "Zoë"],
  ["  --phone-- ", [], "phone"],
  ["", [], "device"],
  ["\u001b[2J/../", [], "2J-.."],
  ["x".repeat(100), [], "x".repeat(32)],
  ["phone", ["Phone"], "phone-2"],
  ["phone", ["phone", "phone-2"], "phone-3"],
  ["Terminal", [], "Terminal-2"],
  ["local", [], "local-2"],
])("a device that asks for the name %j, when %j are taken, is named %s", (wanted, taken, name) => {
  expect(toDeviceName(wanted, taken)).toBe(name);
});
