import { expect, test } from "vitest";
import { collectAnswer, promptRequest } from "../../testing/model-stand-in/collect-answer.js";
import {
  geminiChunk,
  geminiError,
  geminiErrorBody,
  geminiStream,
  geminiText,
  openGeminiStandIn,
} from "../../testing/model-stand-in/gemini-stand-in.js";
import type { ModelStandIn } from "../../testing/model-stand-in/open-model-stand-in.js";
import {
  openaiChunk,
  openaiError,
  openaiText,
  openaiUnfinishedStream,
  openOpenaiStandIn,
} from "../../testing/model-stand-in/openai-stand-in.js";
import {
  eventStream,
  jsonAnswer,
  thenBreak,
} from "../../testing/model-stand-in/stand-in-answer.js";
import { createGeminiModel } from "../gemini/create-gemini-model.js";
import { createOpenaiModel } from "../openai/create-openai-model.js";
import { type BatchModel, withRetries } from "./with-retries.js";

const apiKey = "secret-key-123";

/** Models of both vendors that record their waits instead of waiting. */
function modelsWithoutWaits() {
  const waits: number[] = [];
  const retries = { sleep: async (ms: number) => void waits.push(ms), random: () => 0.5 };
  return {
    waits,
    gemini: ({ url }: ModelStandIn) =>
      createGeminiModel({
        model: "gemini-2.5-pro",
        access: { type: "key", apiKey, baseUrl: url },
        retries,
      }),
    openai: ({ url }: ModelStandIn) =>
      createOpenaiModel({ model: "qwen3", baseUrl: `${url}/v1`, apiKey, retries }),
  };
}

test.each([429, 500, 503])(
  "a status of %i from Gemini is retried with a notice each time",
  async (code) => {
    const { gemini, waits } = modelsWithoutWaits();
    const overloaded = geminiError(code, "overloaded");
    await using standIn = await openGeminiStandIn([overloaded, overloaded, geminiText("hi")]);

    const answer = await collectAnswer(gemini(standIn));

    expect(answer.parts).toEqual([
      {
        type: "notice",
        text: `the model answered ${code}: overloaded; trying again in 0.3 s (2 of 5)`,
      },
      {
        type: "notice",
        text: `the model answered ${code}: overloaded; trying again in 0.5 s (3 of 5)`,
      },
      { type: "text", text: "hi" },
    ]);
    expect(waits).toEqual([250, 500]);
  },
);

test("a retry is announced before its wait", async () => {
  const order: string[] = [];
  await using standIn = await openGeminiStandIn([geminiError(503, "later"), geminiText("hi")]);
  const model = createGeminiModel({
    model: "gemini-2.5-pro",
    access: { type: "key", apiKey, baseUrl: standIn.url },
    retries: { sleep: async () => void order.push("wait") },
  });

  const { history = [] } = promptRequest("hello");
  const { signal } = new AbortController();
  for await (const part of model.stream({ history, tools: [], signal })) order.push(part.type);

  expect(order).toEqual(["notice", "wait", "text"]);
});

test.each([
  ["a header in seconds", { "retry-after": "7" }, 7250],
  ["a header in milliseconds", { "retry-after-ms": "40" }, 290],
])("a retry waits as long as an OpenAI-compatible server asks in %s", async (_, headers, wait) => {
  const { openai, waits } = modelsWithoutWaits();
  await using standIn = await openOpenaiStandIn([
    openaiError(429, "slow", headers),
    openaiText("hi"),
  ]);

  const answer = await collectAnswer(openai(standIn));

  expect(answer.text).toBe("hi");
  expect(waits).toEqual([wait]);
});

test("a retry waits as long as Gemini asks, by RetryInfo or by a header", async () => {
  const { gemini, waits } = modelsWithoutWaits();
  await using standIn = await openGeminiStandIn([
    geminiError(429, "quota", { status: "RESOURCE_EXHAUSTED", retryDelay: "3s" }),
    jsonAnswer(503, geminiErrorBody(503, "busy"), { "retry-after": "45" }),
    geminiText("hi"),
  ]);

  const answer = await collectAnswer(gemini(standIn));

  expect(answer.text).toBe("hi");
  expect(waits).toEqual([3250, 45_250]);
});

test("there is no retry if the vendor asks for too long a wait", async () => {
  const { openai, waits } = modelsWithoutWaits();
  const answer = openaiError(429, "out of quota", { "retry-after": "3600" });
  await using standIn = await openOpenaiStandIn([answer]);

  const { error } = await collectAnswer(openai(standIn));

  expect(error).toBe("the model answered 429: out of quota; it asks to wait 3600 s");
  expect(waits).toEqual([]);
});

test.each([400, 401, 403, 404])("a status of %i is not retried", async (code) => {
  const { gemini, openai } = modelsWithoutWaits();
  await using geminiStandIn = await openGeminiStandIn([geminiError(code, "no")]);
  await using openaiStandIn = await openOpenaiStandIn([openaiError(code, "no")]);

  const answers = [
    await collectAnswer(gemini(geminiStandIn)),
    await collectAnswer(openai(openaiStandIn)),
  ];

  const failed = { parts: [], text: "", notices: [], error: `the model answered ${code}: no` };
  expect(answers).toEqual([failed, failed]);
  expect(geminiStandIn.requests).toHaveLength(1);
  expect(openaiStandIn.requests).toHaveLength(1);
});

test("after the last attempt the reply fails with the reason", async () => {
  const { gemini } = modelsWithoutWaits();
  const answers = Array.from({ length: 6 }, () => geminiError(503, "overloaded"));
  await using standIn = await openGeminiStandIn(answers);

  const { error, notices } = await collectAnswer(gemini(standIn));

  expect(error).toBe("the model answered 503: overloaded (5 attempts)");
  expect(notices).toHaveLength(4);
  expect(standIn.requests).toHaveLength(5);
});

test("an error does not show the key, even if the vendor echoes it [SEC-05]", async () => {
  const { gemini, openai } = modelsWithoutWaits();
  const echo = `bad key ${apiKey}!`;
  await using geminiStandIn = await openGeminiStandIn([geminiError(400, echo)]);
  await using openaiStandIn = await openOpenaiStandIn([openaiError(401, echo)]);

  expect((await collectAnswer(gemini(geminiStandIn))).error).toBe(
    "the model answered 400: bad key …!",
  );
  expect((await collectAnswer(openai(openaiStandIn))).error).toBe(
    "the model answered 401: bad key …!",
  );
});

test("an unreachable server is retried, and the error contains its address", async () => {
  const { gemini, openai } = modelsWithoutWaits();
  const standIn = await openGeminiStandIn([]);
  await standIn[Symbol.asyncDispose]();

  for (const model of [gemini(standIn), openai(standIn)]) {
    const { error, notices } = await collectAnswer(model);

    const sentence = `the connection to the model at ${standIn.url} failed (ECONNREFUSED)`;
    expect(notices[0]).toBe(`${sentence}; trying again in 0.3 s (2 of 5)`);
    expect(error).toBe(`${sentence} (5 attempts)`);
  }
});

test("a Gemini stream that breaks off continues without repeated text", async () => {
  const { gemini } = modelsWithoutWaits();
  const broken = geminiStream([geminiChunk([{ text: "one " }]), geminiChunk([{ text: "two " }])]);
  await using standIn = await openGeminiStandIn([thenBreak(broken), geminiText("one two three")]);

  const answer = await collectAnswer(gemini(standIn));

  expect(answer.text).toBe("one two three");
  expect(answer.notices).toEqual([
    expect.stringMatching(
      /^the connection to the model at \S+ failed.*; trying again in 0.3 s \(2 of 5\)$/,
    ),
  ]);
});

test("an OpenAI stream that breaks off continues without repeated text", async () => {
  const { openai } = modelsWithoutWaits();
  const broken = thenBreak(openaiUnfinishedStream([openaiChunk({ content: "one two " })]));
  await using standIn = await openOpenaiStandIn([broken, openaiText("three")]);

  expect((await collectAnswer(openai(standIn))).text).toBe("one two three");
});

test("a retry sends the text before the break and asks for the rest", async () => {
  const { openai } = modelsWithoutWaits();
  const broken = thenBreak(openaiUnfinishedStream([openaiChunk({ content: "one two " })]));
  await using standIn = await openOpenaiStandIn([broken, openaiText("three")]);

  await collectAnswer(openai(standIn), promptRequest("count"));

  expect(standIn.requests[1]?.body).toMatchObject({
    messages: [
      { role: "user", content: "count" },
      { role: "assistant", content: "one two " },
      {
        role: "user",
        content: "Your answer broke off here. Go on exactly where it stopped and repeat nothing.",
      },
    ],
  });
});

test("a transient error inside the stream is retried without repeated text", async () => {
  const { gemini } = modelsWithoutWaits();
  const failing = geminiStream([
    geminiChunk([{ text: "partial " }]),
    geminiErrorBody(503, "mid-stream failure", { retryDelay: "2s" }),
  ]);
  await using standIn = await openGeminiStandIn([failing, geminiText("partial answer")]);

  const { text, notices } = await collectAnswer(gemini(standIn));

  expect(text).toBe("partial answer");
  expect(notices).toEqual([
    "the model answered 503: mid-stream failure; trying again in 2.3 s (2 of 5)",
  ]);
});

test("a permanent error inside the stream ends the reply", async () => {
  const { gemini } = modelsWithoutWaits();
  const failing = geminiStream([geminiChunk([{ text: "partial " }]), geminiErrorBody(400, "no")]);
  await using standIn = await openGeminiStandIn([failing]);

  expect(await collectAnswer(gemini(standIn))).toMatchObject({
    text: "partial ",
    notices: [],
    error: "the model answered 400: no",
  });
});

test("a tool request that is repeated after a break is delivered once", async () => {
  const { gemini } = modelsWithoutWaits();
  const asks = geminiChunk([{ functionCall: { name: "read_file", args: { file_path: "a" } } }]);
  const end = geminiChunk([], { finishReason: "STOP" });
  await using standIn = await openGeminiStandIn([
    thenBreak(geminiStream([asks])),
    geminiStream([asks, end]),
  ]);

  const { parts } = await collectAnswer(gemini(standIn));

  expect(parts.filter((part) => part.type !== "notice")).toEqual([
    { type: "tool-request", toolName: "read_file", input: { file_path: "a" } },
  ]);
});

test("a stream that ends in the middle of an event is retried", async () => {
  const { gemini } = modelsWithoutWaits();
  const whole = JSON.stringify(geminiChunk([{ text: "one" }]));
  const { headers = {} } = eventStream([]);
  const bytes = Buffer.from(`data: ${whole.slice(0, 30)}`);
  const cut = { headers, steps: [{ type: "send", bytes } as const] };
  await using standIn = await openGeminiStandIn([cut, geminiText("one two")]);

  expect((await collectAnswer(gemini(standIn))).text).toBe("one two");
});

test("a cancelled turn ends the wait, and no further request is sent", async () => {
  const controller = new AbortController();
  await using standIn = await openGeminiStandIn([
    geminiError(503, "later", { retryDelay: "100s" }),
  ]);
  const model = createGeminiModel({
    model: "gemini-2.5-pro",
    access: { type: "key", apiKey, baseUrl: standIn.url },
  });

  const { history = [] } = promptRequest("hello");
  const { signal } = controller;
  for await (const _ of model.stream({ history, tools: [], signal })) {
    setImmediate(() => controller.abort());
  }

  expect(standIn.requests).toHaveLength(1);
});

test("an error that is not a model failure is thrown unchanged", async () => {
  const fault = new TypeError("a bug");
  const faulty: BatchModel = {
    name: "faulty",
    // biome-ignore lint/correctness/useYield: it throws before it yields.
    async *stream() {
      throw fault;
    },
  };
  const { history = [] } = promptRequest("hello");
  const { signal } = new AbortController();

  const stream = withRetries(faulty).stream({ history, tools: [], signal });

  await expect(stream[Symbol.asyncIterator]().next()).rejects.toBe(fault);
});
