import type { Part } from "@dt/schema";
import { expect, test } from "vitest";
import type { HistoryItem } from "../history.js";
import { toGeminiRequest } from "./to-gemini-request.js";

const contentsOf = (history: readonly HistoryItem[], model = "gemini-2.5-pro") =>
  toGeminiRequest(model, { history, tools: [] }).contents;

test.each<[name: string, part: Part, sent: unknown]>([
  ["text", { type: "text", text: "hi" }, { text: "hi" }],
  ["data", { type: "data", data: { a: [1] } }, { text: '{"a":[1]}' }],
  [
    "an image",
    { type: "file", bytes: "aGk=", mediaType: "image/jpeg" },
    { inlineData: { mimeType: "image/jpeg", data: "aGk=" } },
  ],
  [
    "the URL of an image",
    { type: "file", uri: "https://x.example/a.png", mediaType: "image/png" },
    { fileData: { mimeType: "image/png", fileUri: "https://x.example/a.png" } },
  ],
  [
    "a text file",
    { type: "file", bytes: "aGk=", name: "a.txt", mediaType: "text/plain" },
    { text: "[attached file a.txt (text/plain)]\nhi" },
  ],
  [
    "a ZIP file",
    { type: "file", bytes: "aGk=", name: "a.zip", mediaType: "application/zip" },
    { text: "[attached file a.zip (application/zip): its content cannot be shown here]" },
  ],
  [
    "the URL of a file of unknown type",
    { type: "file", uri: "https://x.example/a" },
    { text: "[attached file without a name: it is at https://x.example/a]" },
  ],
])("a prompt with %s is sent in Gemini's format", (_, part, sent) => {
  expect(contentsOf([{ role: "user", parts: [part] }])).toEqual([{ role: "user", parts: [sent] }]);
});

test("a failed call is sent as an error", () => {
  const request = { toolCallId: "1", toolName: "t", input: {} };
  const history: readonly HistoryItem[] = [
    { role: "model", parts: [{ type: "tool-request", request }] },
    { role: "tool", results: [{ toolCallId: "1", toolName: "t", text: "no", isError: true }] },
  ];

  expect(contentsOf(history)).toMatchObject([
    { role: "model" },
    {
      role: "user",
      parts: [{ functionResponse: { id: "1", name: "t", response: { error: "no" } } }],
    },
  ]);
});

test("empty texts without a signature, and items without parts, are left out", () => {
  const history: readonly HistoryItem[] = [
    { role: "model", parts: [{ type: "text", text: "" }] },
    { role: "model", parts: [{ type: "text", text: "", signature: "s" }] },
  ];

  expect(contentsOf(history)).toEqual([
    { role: "model", parts: [{ text: "", thoughtSignature: "s" }] },
  ]);
});

test("Gemini 3 gets a placeholder if the first call of a reply has no signature", () => {
  const ask = (toolCallId: string) =>
    ({
      type: "tool-request",
      request: { toolCallId, toolName: "t", input: {} },
    }) as const;

  const contents = contentsOf([{ role: "model", parts: [ask("1"), ask("2")] }], "gemini-3-pro");

  expect(contents).toMatchObject([
    {
      parts: [
        { functionCall: { id: "1" }, thoughtSignature: "skip_thought_signature_validator" },
        { functionCall: { id: "2" } },
      ],
    },
    { role: "user" },
  ]);
});

test.each([
  ["gemini-2.5-flash", "asks"],
  ["gemini-3-pro-preview", "asks"],
  ["gemini-2.0-flash", "does not ask"],
  ["gemini-1.5-pro", "does not ask"],
  ["gemma-3-27b", "does not ask"],
])("a request to %s %s for thoughts", (model, verb) => {
  const { config } = toGeminiRequest(model, { history: [], tools: [] });

  expect(config?.thinkingConfig).toEqual(verb === "asks" ? { includeThoughts: true } : undefined);
});

test.each([
  ["gemini-2.5-flash", "on", { includeThoughts: true }],
  ["gemini-2.5-flash", "off", { includeThoughts: false, thinkingBudget: 0 }],
  ["gemini-2.5-pro", "off", { includeThoughts: false, thinkingBudget: 128 }],
  ["gemini-3-pro-preview", "off", { includeThoughts: false, thinkingBudget: 128 }],
  ["gemini-2.5-pro", 4096, { includeThoughts: true, thinkingBudget: 4096 }],
  ["gemini-2.0-flash", "off", undefined],
] as const)("a request to %s with thinking %s has valid options", (model, thinking, config) => {
  const request = toGeminiRequest(model, { history: [], tools: [] }, thinking);

  expect(request.config?.thinkingConfig).toEqual(config);
});

test("an image in the result of a call is sent after the text of the result", () => {
  const request = toGeminiRequest("gemini-2.5-pro", {
    history: [
      {
        role: "model",
        parts: [
          { type: "tool-request", request: { toolCallId: "1", toolName: "read_file", input: {} } },
        ],
      },
      {
        role: "tool",
        results: [
          {
            toolCallId: "1",
            toolName: "read_file",
            text: "an image",
            isError: false,
            image: { mediaType: "image/png", bytes: "aGk=" },
          },
        ],
      },
    ],
    tools: [],
  });

  expect(request.contents).toMatchObject([
    { role: "model" },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "1", response: { output: "an image" } } },
        { inlineData: { mimeType: "image/png", data: "aGk=" } },
      ],
    },
  ]);
});
