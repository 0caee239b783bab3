import { expect, test } from "vitest";
import { findA2aVersion, findCardVersion, findErrorVersion } from "./find-version.js";

test.each([
  ["1.0", "1.0", "1.0"],
  ["1.0.2", "1.0", "1.0"],
  ["0.3", "0.3", "0.3"],
  ["0.3.0", "0.3", "0.3"],
  // A request must name a minor version that we speak. A card may have any minor version of 1.
  ["1", undefined, "1.0"],
  ["1.1", undefined, "1.0"],
  ["1.7", undefined, "1.0"],
  ["2.0", undefined, undefined],
  ["0.30", undefined, undefined],
  ["0.2.5", undefined, undefined],
  ["1.x", undefined, undefined],
  ["v1.0", undefined, undefined],
  ["", undefined, undefined],
])("for %j, findA2aVersion returns %j and findCardVersion returns %j", (named, request, card) => {
  expect(findA2aVersion(named)).toBe(request);
  expect(findCardVersion(named)).toBe(card);
});

test.each([
  ["1.0", "tasks/get", "1.0"],
  ["1.7", undefined, "1.0"],
  ["0.2", "GetTask", "0.3"],
  ["", "GetTask", "1.0"],
  [undefined, "tasks/get", "0.3"],
  [undefined, "commands/get", "0.3"],
  [undefined, "Nothing", "0.3"],
  [undefined, 7, "0.3"],
])("findErrorVersion for version %j and method %j returns %s", (named, method, version) => {
  expect(findErrorVersion(named, method)).toBe(version);
});
