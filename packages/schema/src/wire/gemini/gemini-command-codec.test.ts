import { expect, test } from "vitest";
import {
  decodeGeminiCommandResult,
  decodeGeminiCommands,
  encodeGeminiCommand,
  throwGeminiRefusal,
} from "./gemini-command-codec.js";
import { isGeminiCard } from "./is-gemini-card.js";

test('decodeGeminiCommands shortens the name of the sub-command "memory list" to "list" [RFC-22]', () => {
  const list = {
    name: "memory list",
    description: "Lists.",
    arguments: [{ name: "pattern", description: "What", isRequired: true }],
    subCommands: [],
  };
  const commands = { commands: [{ name: "memory", description: "Manage.", subCommands: [list] }] };

  expect(decodeGeminiCommands(commands)).toEqual([
    {
      name: "memory",
      description: "Manage.",
      arguments: [],
      subCommands: [{ ...list, name: "list" }],
    },
  ]);
});

test("encodeGeminiCommand encodes the arguments as one item of the peer's list", () => {
  expect(encodeGeminiCommand(["memory", "add"], "two words")).toEqual({
    command: "memory add",
    args: ["two words"],
  });
  expect(encodeGeminiCommand(["init"], "")).toEqual({ command: "init", args: [] });
});

test.each([
  ["done", { text: "done" }],
  [{ type: "message", messageType: "info", content: "[]" }, { text: "[]" }],
  [
    { type: "message", messageType: "error", content: "no such file" },
    { text: "no such file", error: "no such file" },
  ],
  [
    [
      { messageType: "info", content: "a" },
      { messageType: "info", content: "b" },
    ],
    { text: "a\nb" },
  ],
  [{ anything: 1 }, { text: '{"anything":1}' }],
  [undefined, { text: "" }],
])("the result %j is decoded as %j", (data, result) => {
  expect(decodeGeminiCommandResult({ name: "x", data })).toEqual(result);
});

test("throwGeminiRefusal throws an error with the peer's message or the HTTP status", () => {
  expect(() => throwGeminiRefusal(404, { error: "Command not found: x" })).toThrow(
    expect.objectContaining({ code: "invalid-message", message: "Command not found: x" }),
  );
  expect(() => throwGeminiRefusal(500, "<html>")).toThrow(
    expect.objectContaining({ code: "internal", message: "HTTP 500" }),
  );
});

test("the peer's card is recognised by its name and its organization", () => {
  const card = { name: "Gemini SDLC Agent", provider: { organization: "Google" } };
  const extended = { capabilities: { extensions: [{ uri: "urn:x" }] } };

  expect(isGeminiCard(card)).toBe(true);
  expect(isGeminiCard({ ...card, name: "Another" })).toBe(false);
  expect(isGeminiCard({ ...card, provider: undefined })).toBe(false);
  expect(isGeminiCard({ ...card, ...extended })).toBe(false);
});
