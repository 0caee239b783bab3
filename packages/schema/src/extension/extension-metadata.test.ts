import { expect, test } from "vitest";
import { findExtensionValue } from "./extension-metadata.js";

const uri = "urn:ext:v0.2";

test.each<[string, unknown, unknown]>([
  ["no metadata", undefined, undefined],
  ["metadata that is a list", [uri], undefined],
  ["metadata without the key", { "urn:other:v0": 1 }, undefined],
  ["metadata with the exact key", { [uri]: 1 }, 1],
  ["metadata with a compatible key", { "urn:ext:v0": 2 }, 2],
  ["metadata with a key of another minor version", { "urn:ext:v0.3": 2 }, undefined],
  ["metadata with an incompatible key", { "urn:ext:v1": 2 }, undefined],
  ["metadata with the exact key after a compatible key", { "urn:ext:v0": 2, [uri]: 1 }, 1],
  ["metadata whose exact key is null", { "urn:ext:v0": 2, [uri]: null }, null],
  ["metadata with an inherited key", Object.create({ [uri]: 1 }), undefined],
])("findExtensionValue searches %s for the URI of an extension [RFC-06]", (_, metadata, value) => {
  expect(findExtensionValue(metadata, uri, "client")).toBe(value);
});

test("a value of a newer minor version is accepted from an agent, but not from a client [RFC-05]", () => {
  const metadata = { "urn:ext:v0.3": 1 };

  expect(findExtensionValue(metadata, "urn:ext:v0")).toBe(1);
  expect(findExtensionValue(metadata, "urn:ext:v0", "client")).toBeUndefined();
});
