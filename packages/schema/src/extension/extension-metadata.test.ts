import { expect, test } from "vitest";
import { findExtensionValue } from "./extension-metadata.js";

const uri = "urn:ext:v0.2";

test.each<[string, unknown, unknown]>([
  ["no metadata", undefined, undefined],
  ["metadata that is a list", undefined, [uri]],
  ["metadata without the key", undefined, { "urn:other:v0": 1 }],
  ["metadata with the exact key", 1, { [uri]: 1 }],
  ["metadata with a compatible key", 2, { "urn:ext:v0": 2 }],
  ["metadata with a key of another minor version", undefined, { "urn:ext:v0.3": 2 }],
  ["metadata with an incompatible key", undefined, { "urn:ext:v1": 2 }],
  ["metadata with the exact key after a compatible key", 1, { "urn:ext:v0": 2, [uri]: 1 }],
  ["metadata whose exact key is null", null, { "urn:ext:v0": 2, [uri]: null }],
  ["metadata with an inherited key", undefined, Object.create({ [uri]: 1 })],
])("findExtensionValue for %s returns %s [RFC-06]", (_, value, metadata) => {
  expect(findExtensionValue(metadata, uri, "client")).toBe(value);
});

test("a value of a newer minor version is accepted from an agent, but not from a client [RFC-05]", () => {
  const metadata = { "urn:ext:v0.3": 1 };

  expect(findExtensionValue(metadata, "urn:ext:v0")).toBe(1);
  expect(findExtensionValue(metadata, "urn:ext:v0", "client")).toBeUndefined();
});
