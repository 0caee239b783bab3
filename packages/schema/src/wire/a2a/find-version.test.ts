import { expect, test } from "vitest";
import { findA2aVersion } from "./find-version.js";

test.each([
  ["1.0", "1.0"],
  ["1", "1.0"],
  ["1.0.2", "1.0"],
  ["0.3", "0.3"],
  ["0.3.0", "0.3"],
  ["0.30", undefined],
  ["0.2.5", undefined],
  ["1.x", undefined],
  ["v1.0", undefined],
  ["", undefined],
])("findA2aVersion reads or refuses %j", (named, version) => {
  expect(findA2aVersion(named)).toBe(version);
});
