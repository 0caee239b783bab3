import fc from "fast-check";
import { expect, test } from "vitest";
import { collectAnswer, promptRequest } from "../../testing/model-stand-in/collect-answer.js";
import {
  geminiChunk,
  geminiStream,
  geminiText,
  openGeminiStandIn,
} from "../../testing/model-stand-in/gemini-stand-in.js";
import type { ModelStandIn } from "../../testing/model-stand-in/open-model-stand-in.js";
import { eventStream, thenWait } from "../../testing/model-stand-in/stand-in-answer.js";
import type { HistoryItem } from "../history.js";
import { joinTexts } from "../join-texts.js";
import type { Model } from "../model.js";
import { createGeminiModel } from "./create-gemini-model.js";

function modelAt({ url }: ModelStandIn): Model {
  return createGeminiModel({
    model: "gemini-2.5-pro",
    access: { type: "key", apiKey: "key", baseUrl: url },
    retries: { sleep: async () => {}, random: () => 0 },
  });
}

const wholeReply = [
  geminiChunk([{ text: "**Looking around** I list the folder.", thought: true }]),
  geminiChunk([{ text: "Grüße, 世界 " }], { usageMetadata: { promptTokenCount: 9 } }),
  { usageMetadata: { promptTokenCount: 9 } },
  { candidates: [] },
  geminiChunk([{ text: "🎉" }], {
    citationMetadata: {
      citationSources: [{ uri: "https://a.example", title: "A", startIndex: 0 }],
    },
    groundingMetadata: { groundingChunks: [{ web: { uri: "https://b.example", title: "B" } }] },
  }),
  geminiChunk([
    { functionCall: { name: "list_directory", args: { path: "." } }, thoughtSignature: "sig-1" },
    { functionCall: { name: "read_file", args: { file_path: "a.txt" } } },
  ]),
  geminiChunk([{ text: "", thoughtSignature: "sig-2" }], {
    finishReason: "STOP",
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      cachedContentTokenCount: 3,
      totalTokenCount: 21,
    },
  }),
];

// The network decides how many texts arrive together, so texts are joined before they are compared.
const wholeParts = joinTexts([
  {
    type: "thought",
    thought: { subject: "Looking around", description: "I list the folder." },
  },
  { type: "text", text: "Grüße, 世界 " },
  {
    type: "usage",
    usage: { inputTokens: 9, outputTokens: 0, thoughtTokens: 0, cachedTokens: 0 },
  },
  {
    type: "usage",
    usage: { inputTokens: 9, outputTokens: 0, thoughtTokens: 0, cachedTokens: 0 },
  },
  { type: "text", text: "🎉" },
  { type: "citation", citation: { uri: "https://a.example", title: "A" } },
  { type: "citation", citation: { uri: "https://b.example", title: "B" } },
  {
    type: "tool-request",
    toolName: "list_directory",
    input: { path: "." },
    signature: "sig-1",
  },
  { type: "tool-request", toolName: "read_file", input: { file_path: "a.txt" } },
  { type: "text", text: "", signature: "sig-2" },
  {
    type: "usage",
    usage: { inputTokens: 9, outputTokens: 5, thoughtTokens: 7, cachedTokens: 3 },
  },
]);

test("a reply yields text, thoughts, citations, calls, signatures and tokens [RFC-09, RFC-16]", async () => {
  await using standIn = await openGeminiStandIn([geminiStream(wholeReply)]);

  const answer = await collectAnswer(modelAt(standIn));

  expect(answer.error).toBeUndefined();
  expect(joinTexts(answer.parts)).toEqual(wholeParts);
});

test("a reply is the same if its bytes arrive one by one", async () => {
  const stream = geminiStream(wholeReply, { cutAt: "every-byte" });
  await using standIn = await openGeminiStandIn([stream]);

  expect(joinTexts((await collectAnswer(modelAt(standIn))).parts)).toEqual(wholeParts);
});

test("a reply is the same wherever its bytes are split", async () => {
  const cuts = fc.array(fc.nat(5000), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (cutAt) => {
      await using standIn = await openGeminiStandIn([geminiStream(wholeReply, { cutAt })]);

      expect(joinTexts((await collectAnswer(modelAt(standIn))).parts)).toEqual(wholeParts);
    }),
    { numRuns: 30 },
  );
});

test("text is delivered as soon as it arrives, before the reply ends", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const first = geminiStream([geminiChunk([{ text: "early" }])]);
  const last = geminiStream([geminiChunk([{ text: " late" }], { finishReason: "STOP" })]);
  const answer = { ...first, steps: [...thenWait(first, finished).steps, ...last.steps] };
  await using standIn = await openGeminiStandIn([answer]);
  const said: string[] = [];

  const { history = [] } = promptRequest("hello");
  const { signal } = new AbortController();
  for await (const part of modelAt(standIn).stream({ history, tools: [], signal })) {
    if (part.type === "text") said.push(part.text);
    finish();
  }

  expect(said).toEqual(["early", " late"]);
});

test("signatures and results are sent back unchanged with the next step", async () => {
  await using standIn = await openGeminiStandIn([geminiText("done")]);
  const history: readonly HistoryItem[] = [
    { role: "user", parts: [{ type: "text", text: "look" }] },
    {
      role: "model",
      parts: [
        { type: "text", text: "I look.", signature: "sig-0" },
        {
          type: "tool-request",
          request: { toolCallId: "c1", toolName: "read_file", input: { a: 1 }, signature: "sig-1" },
        },
      ],
    },
    {
      role: "tool",
      results: [{ toolCallId: "c1", toolName: "read_file", text: "content", isError: false }],
    },
  ];

  await collectAnswer(modelAt(standIn), { history });

  expect(standIn.requests[0]?.body).toMatchObject({
    contents: [
      { role: "user", parts: [{ text: "look" }] },
      {
        role: "model",
        parts: [
          { text: "I look.", thoughtSignature: "sig-0" },
          {
            functionCall: { id: "c1", name: "read_file", args: { a: 1 } },
            thoughtSignature: "sig-1",
          },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "read_file", response: { output: "content" } } },
        ],
      },
    ],
  });
});

test("an image that the model made is a file of the reply", async () => {
  const stream = geminiStream([
    geminiChunk([{ inlineData: { mimeType: "image/png", data: "aGk=" } }], {
      finishReason: "STOP",
    }),
  ]);
  await using standIn = await openGeminiStandIn([stream]);

  const { parts } = await collectAnswer(modelAt(standIn), promptRequest("draw a cat"));

  expect(parts).toContainEqual({ type: "file", file: { bytes: "aGk=", mediaType: "image/png" } });
});

test("the system prompt, the tools and an image are part of the request", async () => {
  await using standIn = await openGeminiStandIn([geminiText("a cat")]);
  const parameters = { type: "object", properties: { path: { type: "string" } } };

  await collectAnswer(modelAt(standIn), {
    ...promptRequest("what is this?", { type: "file", bytes: "aGk=", mediaType: "image/png" }),
    system: "be brief",
    tools: [{ name: "list_directory", description: "lists", parameters }],
  });

  expect(standIn.requests[0]?.body).toMatchObject({
    contents: [
      {
        parts: [{ text: "what is this?" }, { inlineData: { mimeType: "image/png", data: "aGk=" } }],
      },
    ],
    systemInstruction: { parts: [{ text: "be brief" }] },
    tools: [
      {
        functionDeclarations: [
          { name: "list_directory", description: "lists", parametersJsonSchema: parameters },
        ],
      },
    ],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  });
});

test.each([
  ["SAFETY", "the model refused to continue: the content was classified as unsafe (SAFETY)"],
  [
    "RECITATION",
    "the model refused to continue: the content repeats a protected source (RECITATION)",
  ],
])("a reply that ends with %s fails after its text was delivered", async (finishReason, error) => {
  const stream = geminiStream([
    geminiChunk([{ text: "partial " }]),
    geminiChunk([], { finishReason }),
  ]);
  await using standIn = await openGeminiStandIn([stream]);

  expect(await collectAnswer(modelAt(standIn))).toMatchObject({ text: "partial ", error });
});

test("a blocked prompt fails with the reason", async () => {
  const stream = geminiStream([{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }]);
  await using standIn = await openGeminiStandIn([stream]);

  const { error } = await collectAnswer(modelAt(standIn));

  expect(error).toBe("the model refused to continue: the prompt was blocked (PROHIBITED_CONTENT)");
});

test.each([
  ["MAX_TOKENS", "the model reached its output limit; the rest of the reply is missing"],
  ["TIRED", "the model stopped for an unknown reason: TIRED"],
])("a reply that ends with %s gets a notice", async (finishReason, notice) => {
  const stream = geminiStream([geminiChunk([{ text: "so far" }], { finishReason })]);
  await using standIn = await openGeminiStandIn([stream]);

  const answer = await collectAnswer(modelAt(standIn));

  expect(answer).toMatchObject({ text: "so far", notices: [notice] });
  expect(answer.error).toBeUndefined();
});

test("a reply fails if its token limit is reached before any text", async () => {
  const stream = geminiStream([geminiChunk([], { finishReason: "MAX_TOKENS" })]);
  await using standIn = await openGeminiStandIn([stream]);

  const { error } = await collectAnswer(modelAt(standIn));

  expect(error).toBe("the model reached its output limit before it answered");
});

test.each([
  ["no content", geminiStream([geminiChunk([], { finishReason: "STOP" })]), "gave an empty reply"],
  ["no candidates", geminiStream([{ candidates: [] }]), "broke off before its end"],
  ["no bytes", geminiStream([]), "broke off before its end"],
  ["invalid JSON", eventStream(["{oops"]), "reply cannot be read"],
  [
    "a call that cannot be read",
    geminiStream([geminiChunk([], { finishReason: "MALFORMED_FUNCTION_CALL" })]),
    "the tool call cannot be parsed (MALFORMED_FUNCTION_CALL)",
  ],
])(
  "a reply with %s is retried, and fails with the reason after the last attempt",
  async (_, answer, words) => {
    await using healed = await openGeminiStandIn([answer, geminiText("better")]);
    await using broken = await openGeminiStandIn(Array.from({ length: 5 }, () => answer));

    const better = await collectAnswer(modelAt(healed));
    const { error } = await collectAnswer(modelAt(broken));

    expect(better.text).toBe("better");
    expect(better.notices[0]).toContain(words);
    expect(error).toContain(words);
    expect(error).toContain("(5 attempts)");
  },
);

test("a call without arguments gets an empty input, and a list as arguments is an error", async () => {
  const parts = [{ functionCall: { name: "a" } }, { functionCall: { name: "b", args: [1] } }];
  const stream = geminiStream([geminiChunk(parts, { finishReason: "STOP" })]);
  await using standIn = await openGeminiStandIn([stream]);

  expect((await collectAnswer(modelAt(standIn))).parts).toEqual([
    { type: "tool-request", toolName: "a", input: {} },
    {
      type: "tool-request",
      toolName: "b",
      input: {},
      inputError: "the arguments must be a JSON object",
    },
  ]);
});

test("a cancelled turn closes the connection and yields no further parts", async () => {
  const stream = geminiStream([geminiChunk([{ text: "early" }])]);
  await using standIn = await openGeminiStandIn([thenWait(stream, new Promise(() => {}))]);
  const controller = new AbortController();

  const { history = [] } = promptRequest("hello");
  const { signal } = controller;
  const said: unknown[] = [];
  for await (const part of modelAt(standIn).stream({ history, tools: [], signal })) {
    said.push(part);
    controller.abort();
  }

  expect(said).toEqual([{ type: "text", text: "early" }]);
  expect(await standIn.requests[0]?.isAbandoned).toBe(true);
});

test("the connection is closed when the consumer stops reading", async () => {
  const stream = geminiStream([geminiChunk([{ text: "early" }])]);
  await using standIn = await openGeminiStandIn([thenWait(stream, new Promise(() => {}))]);

  const { history = [] } = promptRequest("hello");
  const { signal } = new AbortController();
  for await (const _ of modelAt(standIn).stream({ history, tools: [], signal })) break;

  expect(await standIn.requests[0]?.isAbandoned).toBe(true);
});
