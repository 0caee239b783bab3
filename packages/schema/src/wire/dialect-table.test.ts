import { expect, test } from "vitest";
import { DEFAULT_EXTENSION_URIS } from "../extension/extension-uri.js";
import type { Dialect, DialectFamily } from "./dialect.js";
import { createDialects, DIALECT_FAMILIES } from "./dialect-table.js";
import { guideDialect } from "./guide/guide-dialect.js";

const plain = { version: "0.3", developmentTool: false, session: false } as const;
const session = { version: "1.0", developmentTool: true, session: true } as const;
const guideMessage = { message: { content: { text: "hi" } } };
const a2aMessage = { message: { parts: [{ kind: "text", text: "hi" }] } };

/** A dialect whose clients call A2A's methods without naming the dialect. */
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
  ["a stream in the guide's dialect on a live endpoint", "stream", guideMessage, true, "guide"],
  ["a message in the guide's dialect on a live endpoint", "send", guideMessage, true, "guide"],
  [
    "a stream in the guide's dialect on dt-server",
    "stream",
    guideMessage,
    false,
    "canonical 0.3 false false",
  ],
  ["an A2A stream on a live endpoint", "stream", a2aMessage, true, "canonical 0.3 false false"],
  ["a request for a task", "get", guideMessage, true, "canonical 0.3 false false"],
] as const)("ofRequest finds the dialect of %s", (_, operation, params, isLive, key) => {
  expect(dialects.ofRequest({ operation, params, isLive }, plain).key).toBe(key);
});

test("ofRequest finds the dialect of a family's own route", () => {
  const request = { operation: "stream", params: a2aMessage, isLive: false } as const;

  expect(dialects.ofRequest({ ...request, family: "silent" }, plain).key).toBe("silent");
});

test.each([
  ["a task without a dialect", undefined, plain, "canonical 0.3 false false"],
  ["a canonical task", "canonical", session, "canonical 1.0 true true"],
  // The guide has no methods on tasks.
  ["a task of the guide", "guide", plain, "canonical 0.3 false false"],
  ["a task whose own dialect answers A2A's methods", "silent", plain, "silent"],
  // A request that activates the development-tool extension speaks A2A.
  ["a request with extensions", "silent", session, "canonical 1.0 true true"],
  ["a task of an unknown dialect", "unknown", plain, "canonical 0.3 false false"],
] as const)("ofTask finds the dialect of %s", (_, createdIn, variant, key) => {
  expect(dialects.ofTask(createdIn, variant).key).toBe(key);
});

test("ofTask returns the same dialect for the same variant", () => {
  expect(dialects.ofTask(undefined, session)).toBe(dialects.ofTask(undefined, { ...session }));
});
