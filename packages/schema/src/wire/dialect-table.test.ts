import { expect, test } from "vitest";
import { DEFAULT_EXTENSION_URIS } from "../extension/extension-uri.js";
import type { Dialect, DialectFamily } from "./dialect.js";
import { createDialects, DIALECT_FAMILIES } from "./dialect-table.js";
import { guideDialect } from "./guide/guide-dialect.js";

const plain = { version: "0.3", developmentTool: false, session: false } as const;
const session = { version: "1.0", developmentTool: true, session: true } as const;
const guideMessage = { message: { content: { text: "hi" } } };
const a2aMessage = { message: { parts: [{ kind: "text", text: "hi" }] } };

/** A dialect whose clients call A2A's methods without naming it. */
const silent: Dialect = {
  ...guideDialect,
  name: "silent",
  key: "silent",
  traits: { ...guideDialect.traits, answersTaskMethods: true },
};
const silentFamily: DialectFamily = {
  name: "silent",
  recognises: () => false,
  create: () => () => silent,
};
const dialects = createDialects(DEFAULT_EXTENSION_URIS, [silentFamily, ...DIALECT_FAMILIES]);

test.each([
  ["stream", guideMessage, true, "guide"],
  ["send", guideMessage, true, "guide"],
  ["stream", guideMessage, false, "canonical 0.3 false false"],
  ["stream", a2aMessage, true, "canonical 0.3 false false"],
  ["get", guideMessage, true, "canonical 0.3 false false"],
] as const)("%s of %j, on a live endpoint: %s, speaks %s", (operation, params, isLive, key) => {
  expect(dialects.ofRequest({ operation, params, isLive }, plain).key).toBe(key);
});

test.each([
  [undefined, plain, "canonical 0.3 false false"],
  ["canonical", session, "canonical 1.0 true true"],
  // The guide has no methods on tasks.
  ["guide", plain, "canonical 0.3 false false"],
  ["silent", plain, "silent"],
  // The request names its dialect.
  ["silent", session, "canonical 1.0 true true"],
  ["unknown", plain, "canonical 0.3 false false"],
] as const)("a task of the dialect %s, read by %j, is encoded in %s", (createdIn, variant, key) => {
  expect(dialects.ofTask(createdIn, variant).key).toBe(key);
});

test("a server has one value for each variant", () => {
  expect(dialects.ofTask(undefined, session)).toBe(dialects.ofTask(undefined, { ...session }));
});
