import { expect, test } from "vitest";
import { findExtensionValue } from "./extension-metadata.js";

const uri = "urn:ext:v0";

test.each<[string, unknown, unknown]>([
  ["no metadata", undefined, undefined],
  ["metadata that is a list", [uri], undefined],
  ["metadata without the key", { "urn:other:v0": 1 }, undefined],
  ["the exact key", { [uri]: 1 }, 1],
  ["a compatible key", { "urn:ext:v0.2": 2 }, 2],
  ["an incompatible key", { "urn:ext:v1": 2 }, undefined],
  ["the exact key after a compatible one", { "urn:ext:v0.2": 2, [uri]: 1 }, 1],
  ["the exact key with null", { "urn:ext:v0.2": 2, [uri]: null }, null],
  ["an inherited key", Object.create({ [uri]: 1 }), undefined],
])("the value of an extension is found by its URI in %s [RFC-06]", (_, metadata, value) => {
  expect(findExtensionValue(metadata, uri)).toBe(value);
});
