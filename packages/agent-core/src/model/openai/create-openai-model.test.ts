import fc from "fast-check";
import { expect, test } from "vitest";
import { collectAnswer, promptRequest } from "../../testing/model-stand-in/collect-answer.js";
import type { ModelStandIn } from "../../testing/model-stand-in/open-model-stand-in.js";
import {
  openaiChunk,
  openaiStream,
  openaiText,
  openaiUnfinishedStream,
  openaiUsage,
  openOpenaiStandIn,
} from "../../testing/model-stand-in/openai-stand-in.js";
import { eventStream, thenWait } from "../../testing/model-stand-in/stand-in-answer.js";
import { joinTexts } from "../join-texts.js";
import type { Model } from "../model.js";
import { createOpenaiModel } from "./create-openai-model.js";

function modelAt({ url }: ModelStandIn): Model {
  return createOpenaiModel({
    model: "qwen3",
    baseUrl: `${url}/v1`,
    retries: { sleep: async () => {}, random: () => 0 },
  });
}

const callPiece = (index: number, piece: object) =>
  openaiChunk({ tool_calls: [{ index, ...piece }] });

const wholeReply = [
  openaiChunk({ role: "assistant", content: "" }),
  openaiChunk({ reasoning_content: "**Plan**" }),
  openaiChunk({ reasoning_content: " I read.\n" }),
  openaiChunk({ reasoning_content: "\nThen I" }),
  openaiChunk({ reasoning: " write." }),
  openaiChunk({ content: "Grüße, " }),
  openaiChunk({ content: "世界 🎉" }),
  { ...openaiChunk({}), choices: [] },
  callPiece(0, { id: "a", type: "function", function: { name: "read_file", arguments: "" } }),
  callPiece(0, { function: { arguments: '{"file_path":' } }),
  callPiece(1, { id: "b", type: "function", function: { name: "glob", arguments: '{"pattern"' } }),
  callPiece(0, { function: { arguments: '"a.txt"}' } }),
  callPiece(1, { function: { arguments: ':"*"}' } }),
  openaiChunk({}, "tool_calls"),
  openaiUsage({
    prompt_tokens: 9,
    completion_tokens: 12,
    total_tokens: 21,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 7 },
  }),
];

// The network decides how many texts arrive together, so texts are joined before they are compared.
const wholeParts = joinTexts([
  { type: "thought", thought: { subject: "Plan", description: "I read." } },
  { type: "thought", thought: { subject: "Then I write.", description: "Then I write." } },
  { type: "text", text: "Grüße, " },
  { type: "text", text: "世界 🎉" },
  {
    type: "usage",
    usage: { inputTokens: 9, outputTokens: 5, thoughtTokens: 7, cachedTokens: 3 },
  },
  { type: "tool-request", toolName: "read_file", input: { file_path: "a.txt" } },
  { type: "tool-request", toolName: "glob", input: { pattern: "*" } },
]);

test("text, reasoning, interleaved calls and token counts are read [RFC-09, RFC-16]", async () => {
  await using standIn = await openOpenaiStandIn([openaiStream(wholeReply)]);

  const answer = await collectAnswer(modelAt(standIn));

  expect(answer.error).toBeUndefined();
  expect(joinTexts(answer.parts)).toEqual(wholeParts);
});

test("a reply is the same if its bytes arrive one by one", async () => {
  const stream = openaiStream(wholeReply, { cutAt: "every-byte" });
  await using standIn = await openOpenaiStandIn([stream]);

  expect(joinTexts((await collectAnswer(modelAt(standIn))).parts)).toEqual(wholeParts);
});

test("a reply is the same wherever its bytes are split", async () => {
  const cuts = fc.array(fc.nat(5000), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (cutAt) => {
      await using standIn = await openOpenaiStandIn([openaiStream(wholeReply, { cutAt })]);

      expect(joinTexts((await collectAnswer(modelAt(standIn))).parts)).toEqual(wholeParts);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["not JSON", '{"path": ', "the arguments are not valid JSON: "],
  ["not an object", '"path"', "the arguments must be a JSON object"],
])("arguments that are %s become a tool request with an error", async (_, text, inputError) => {
  const stream = openaiStream([
    callPiece(0, { id: "a", function: { name: "read_file", arguments: text } }),
    openaiChunk({}, "tool_calls"),
  ]);
  await using standIn = await openOpenaiStandIn([stream]);

  expect((await collectAnswer(modelAt(standIn))).parts).toEqual([
    {
      type: "tool-request",
      toolName: "read_file",
      input: {},
      inputError: expect.stringContaining(inputError),
    },
  ]);
});

test("calls with the same index are separated by their ids", async () => {
  const stream = openaiStream([
    callPiece(0, { id: "a", function: { name: "read_file", arguments: "{}" } }),
    callPiece(0, { id: "b", function: { name: "glob", arguments: "" } }),
    openaiChunk({}, "stop"),
  ]);
  await using standIn = await openOpenaiStandIn([stream]);

  expect((await collectAnswer(modelAt(standIn))).parts).toEqual([
    { type: "tool-request", toolName: "read_file", input: {} },
    { type: "tool-request", toolName: "glob", input: {} },
  ]);
});

test.each([
  ["length", ["the model reached its output limit; the rest of the reply is missing"], undefined],
  ["content_filter", [], "the model refused to continue: a filter stopped it (content_filter)"],
  ["tired", ["the model stopped for an unknown reason: tired"], undefined],
])("the finish reason %s causes a notice or an error", async (finishReason, notices, error) => {
  const stream = openaiStream([openaiChunk({ content: "so far" }), openaiChunk({}, finishReason)]);
  await using standIn = await openOpenaiStandIn([stream]);

  const answer = await collectAnswer(modelAt(standIn));

  expect(answer.text).toBe("so far");
  expect(answer.notices).toEqual(notices);
  expect(answer.error).toBe(error);
});

test("a refusal of the model is shown as text", async () => {
  const stream = openaiStream([openaiChunk({ refusal: "I will not." }), openaiChunk({}, "stop")]);
  await using standIn = await openOpenaiStandIn([stream]);

  expect((await collectAnswer(modelAt(standIn))).text).toBe("I will not.");
});

test.each([
  [
    "no content",
    openaiStream([openaiChunk({ content: "" }), openaiChunk({}, "stop")]),
    "gave an empty",
  ],
  ["no end", openaiStream([openaiChunk({ role: "assistant" })]), "broke off before its end"],
  ["invalid JSON", eventStream(["{oops"]), "reply cannot be read"],
  ["an error", eventStream(['{"error":{"message":"out of memory"}}']), "500: out of memory"],
])(
  "a reply with %s is retried, and fails with the reason after the last attempt",
  async (_, answer, words) => {
    await using healed = await openOpenaiStandIn([answer, openaiText("better")]);
    await using broken = await openOpenaiStandIn(Array.from({ length: 5 }, () => answer));

    const better = await collectAnswer(modelAt(healed));
    const { error } = await collectAnswer(modelAt(broken));

    expect(better.text).toBe("better");
    expect(better.notices[0]).toContain(words);
    expect(error).toContain(words);
    expect(error).toContain("(5 attempts)");
  },
);

test("a web page instead of a reply is not retried, because the base URL is wrong", async () => {
  const page = { headers: { "content-type": "text/html" }, steps: [] };
  await using standIn = await openOpenaiStandIn([page]);

  const { error } = await collectAnswer(modelAt(standIn));

  expect(error).toBe("the model's base URL answered with a web page; check the base URL");
});

test("a redirection is not followed, because the key must not reach another address", async () => {
  const redirection = { status: 308, headers: { location: "https://b.example/v1" }, steps: [] };
  await using standIn = await openOpenaiStandIn([redirection]);

  const { error } = await collectAnswer(modelAt(standIn));

  expect(error).toBe(
    "the model's base URL redirects to https://b.example/v1; set the base URL to that address",
  );
});

test("a cancelled turn closes the connection and yields no further parts", async () => {
  const stream = openaiUnfinishedStream([openaiChunk({ content: "early" })]);
  await using standIn = await openOpenaiStandIn([thenWait(stream, new Promise(() => {}))]);
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
