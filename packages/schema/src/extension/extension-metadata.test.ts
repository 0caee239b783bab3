import { expect, test } from "vitest";
import { findExtensionValue, withExtensionValue } from "./extension-metadata.js";

const uri = "urn:ext:v0";

test.each<[string, unknown, unknown]>([
  ["no metadata", undefined, undefined],
  ["metadata that is a list", [uri], undefined],
  ["metadata without the key", { "urn:other:v0": 1 }, undefined],
  ["the exact key", { [uri]: 1 }, 1],
  ["a compatible key", { "urn:ext:v0.2": 2 }, 2],
  ["an incompatible key", { "urn:ext:v1": 2 }, undefined],
  ["the exact key after a compatible one", { "urn:ext:v0.2": 2, [uri]: 1 }, 1],
  ["the exact key with nothing in it", { "urn:ext:v0.2": 2, [uri]: null }, null],
  ["an inherited key", Object.create({ [uri]: 1 }), undefined],
])("in %s, the extension's value is found by its URI [RFC-06]", (_, metadata, value) => {
  expect(findExtensionValue(metadata, uri)).toBe(value);
});

test("a value is put beside those of other extensions, and nothing is changed [RFC-06]", () => {
  const metadata = { "urn:other:v0": { a: 1 }, [uri]: { old: true } };

  const changed = withExtensionValue(metadata, uri, { kind: "X" });

  expect(changed).toEqual({ "urn:other:v0": { a: 1 }, [uri]: { kind: "X" } });
  expect(metadata[uri]).toEqual({ old: true });
  expect(withExtensionValue(undefined, uri, {})).toEqual({ [uri]: {} });
});
