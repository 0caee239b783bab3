import { expect, test } from "vitest";
import { buildCardEntries } from "./card-entry.js";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "./extension-uri.js";
import { declaredExtensions, findExtension } from "./find-extension.js";

const rfcEntry = {
  uri: DEVELOPMENT_TOOL_URI,
  description: "An extension for interactive development tasks.",
  required: true,
};

const card03 = {
  name: "Gemini CLI Agent",
  protocolVersion: "0.3.0",
  url: "http://127.0.0.1:41242/",
  capabilities: { streaming: true, extensions: [rfcEntry] },
};
const card10 = {
  name: "Gemini CLI Agent",
  supportedInterfaces: [
    { url: "http://127.0.0.1:41242/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true, extensions: [{ uri: "urn:other:v1" }, rfcEntry] },
};

test.each([
  ["0.3", card03],
  ["1.0", card10],
])("an extension that the agent declares is found in a card of A2A %s [RFC-04]", (_, card) => {
  expect(findExtension(card, DEVELOPMENT_TOOL_URI)).toEqual({
    fits: true,
    uri: DEVELOPMENT_TOOL_URI,
    isRequired: true,
    params: undefined,
  });
});

test("the result of a compatible version has the agent's URI, not the client's [RFC-05]", () => {
  const uri = DEVELOPMENT_TOOL_URI.replace("v0", "v0.3.1");
  const card = { capabilities: { extensions: [{ uri, params: { a: 1 } }] } };

  expect(findExtension(card, DEVELOPMENT_TOOL_URI)).toEqual({
    fits: true,
    uri,
    isRequired: false,
    params: { a: 1 },
  });
});

test("an extension is found after an entry of an incompatible version [RFC-05]", () => {
  const newer = { uri: DEVELOPMENT_TOOL_URI.replace("v0", "v1") };
  const card = { capabilities: { extensions: [newer, rfcEntry] } };

  expect(findExtension(card, DEVELOPMENT_TOOL_URI)).toMatchObject({ fits: true });
});

test("an incompatible version is refused with a sentence that names both versions [RFC-05]", () => {
  const uri = DEVELOPMENT_TOOL_URI.replace("v0", "v1.2");
  const card = { capabilities: { extensions: [{ uri }] } };

  expect(findExtension(card, DEVELOPMENT_TOOL_URI)).toEqual({
    fits: false,
    reason: `the agent speaks v1.2 of the extension, this client speaks v0: ${DEVELOPMENT_TOOL_URI}`,
  });
});

test.each([
  undefined,
  null,
  "card",
  {},
  { capabilities: null },
  { capabilities: {} },
  { capabilities: { extensions: "x" } },
  { capabilities: { extensions: [null, {}, { uri: 1 }, "x", { uri: "urn:other:v0" }] } },
])("an extension is reported as missing from the card %j", (card) => {
  expect(findExtension(card, SESSION_URI)).toEqual({
    fits: false,
    reason: `the agent's card does not declare the extension ${SESSION_URI}`,
  });
});

test("declaredExtensions omits entries without a URI", () => {
  const extensions = [null, { uri: 1 }, { uri: "urn:a", required: false, params: { b: 1 } }];

  expect(declaredExtensions({ capabilities: { extensions } })).toEqual([
    { uri: "urn:a", required: false, params: { b: 1 } },
  ]);
});

test("our card marks both extensions as not required by default [RFC-04]", () => {
  const entries = buildCardEntries();

  expect(entries.map(({ uri, required }) => ({ uri, required }))).toEqual([
    { uri: DEVELOPMENT_TOOL_URI, required: false },
    { uri: SESSION_URI, required: false },
  ]);
});

test("our card has the RFC's sample entry if clients must activate the extension [RFC-04]", () => {
  const [entry, session] = buildCardEntries({ isRequired: true });

  expect(entry).toEqual({
    uri: "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md",
    description:
      "An extension for interactive development tasks, enabling features like code generation, tool usage, and real-time status updates.",
    required: true,
  });
  expect(session?.required).toBe(false);
});

test("our card declares the extension URIs of its deployment [RFC-06]", () => {
  const uris = { developmentTool: "urn:mine:v0", session: "urn:mine-session:v0" };
  const card = { capabilities: { extensions: buildCardEntries({ uris }) } };

  expect(findExtension(card, "urn:mine:v0")).toMatchObject({ fits: true });
  expect(findExtension(card, "urn:mine-session:v0")).toMatchObject({
    fits: true,
    params: { extends: "urn:mine:v0" },
  });
});
