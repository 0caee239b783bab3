import fc from "fast-check";
import { expect, test } from "vitest";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "./extension-uri.js";
import {
  findExtensionVersion,
  formatExtensionVersion,
  isCompatibleUri,
  isCompatibleVersion,
  isSameExtension,
} from "./extension-version.js";

test.each([
  [DEVELOPMENT_TOOL_URI, { major: 0 }],
  [SESSION_URI, { major: 0, minor: 1 }],
  ["https://example.com/ext/v0.1/spec.md", { major: 0, minor: 1 }],
  ["https://example.com/ext/v0.1.2/spec.md", { major: 0, minor: 1, patch: 2 }],
  ["https://example.com/ext/v12", { major: 12 }],
  ["https://example.com/ext?v1&x", { major: 1 }],
  ["https://example.com/ext?version=v1.2&x", { major: 1, minor: 2 }],
  ["https://example.com/ext#v3", { major: 3 }],
  ["urn:ext:v1.0.0-rc.1", { major: 1, minor: 0, patch: 0, preRelease: "rc.1" }],
  ["urn:ext:v1.0.0-rc.1+build.5", { major: 1, minor: 0, patch: 0, preRelease: "rc.1" }],
  ["urn:ext:v1.0.0+build.5", { major: 1, minor: 0, patch: 0 }],
])("the version in the URI %s is %j [RFC-05]", (uri, version) => {
  expect(findExtensionVersion(uri)).toEqual(version);
});

test.each([
  "https://example.com/ext/spec.md",
  "https://example.com/dev0/spec.md",
  "https://example.com/v01/spec.md",
  "https://example.com/v1.02/spec.md",
  "https://example.com/v1.2.3.4/spec.md",
  "https://example.com/v1x/spec.md",
  "",
])("the URI %j has no version", (uri) => {
  expect(findExtensionVersion(uri)).toBeUndefined();
});

test("the version that is found in a URI equals the version that was written into it", () => {
  const version = fc
    .tuple(fc.nat(99), fc.option(fc.nat(99)), fc.option(fc.nat(99)))
    .map(([major, minor, patch]) => ({
      major,
      ...(minor !== null && { minor }),
      ...(minor !== null && patch !== null && { patch }),
    }));
  fc.assert(
    fc.property(version, (expected) => {
      const uri = `https://example.com/ext/${formatExtensionVersion(expected)}/spec.md`;

      expect(findExtensionVersion(uri)).toEqual(expected);
    }),
  );
});

test.each([
  ["v0.1", "v0", true],
  ["v0.1.2", "v0", true],
  ["v0", "v0.5", false],
  ["v0", "v0.1.2", false],
  ["v0.1", "v0.1.2", true],
])(
  "isCompatibleVersion for the agent's %s and the client's %s returns %s [RFC-05]",
  (offered, asked, expected) => {
    const [offeredVersion, askedVersion] = [offered, asked].map(findExtensionVersion);

    expect(isCompatibleVersion(offeredVersion!, askedVersion!)).toBe(expected);
  },
);

test.each([
  ["v0", "v0", true],
  ["v0.1", "v0.1.2", true],
  ["v0.1.0", "v0.1.9", true],
  ["v0.1", "v0.2", false],
  ["v0.1.2", "v0.2.2", false],
  ["v0", "v1", false],
  ["v1", "v1.9", true],
  ["v1.2", "v1.9.9", true],
  ["v1.0.0", "v1.9.9", true],
  ["v1.2.3", "v2.2.3", false],
  ["v1.0.0-rc.1", "v1.0.0-rc.1", true],
  ["v1.0.0-rc.1", "v1.0.0-rc.2", false],
  ["v1.0.0-rc.1", "v1.0.0", false],
  ["v1.0.0-rc.1", "v1", false],
  ["v1.0.0-rc.1", "v1.0.1-rc.1", false],
  ["v1.1.0-rc.1", "v1.0.0-rc.1", false],
  ["v1.0.0+a", "v1.0.0+b", true],
])(
  "isCompatibleVersion for %s and %s returns %s, in both directions [RFC-05]",
  (left, right, expected) => {
    const [leftVersion, rightVersion] = [left, right].map((text) => findExtensionVersion(text));

    expect(isCompatibleVersion(leftVersion!, rightVersion!)).toBe(expected);
    expect(isCompatibleVersion(rightVersion!, leftVersion!)).toBe(expected);
  },
);

test.each([
  ["urn:a:v0.3", "urn:a:v0", true, true],
  ["urn:a:v0", "urn:a:v0.3", true, false],
  ["urn:a:v0.1", "urn:a:v0.3", true, false],
  ["urn:a:v0", "urn:b:v0", false, false],
  ["urn:a", "urn:a", true, true],
  ["urn:a", "urn:a:v0", false, false],
])(
  "for an agent's %s and a client's %s, isSameExtension is %s and isCompatibleUri is %s [RFC-05]",
  (offered, asked, isSame, fits) => {
    expect(isSameExtension(offered, asked)).toBe(isSame);
    expect(isCompatibleUri(offered, asked)).toBe(fits);
  },
);
