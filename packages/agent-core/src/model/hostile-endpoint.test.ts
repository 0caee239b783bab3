import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectAnswer, promptRequest } from "../testing/model-stand-in/collect-answer.js";
import {
  geminiChunk,
  geminiStream,
  geminiText,
  openGeminiStandIn,
} from "../testing/model-stand-in/gemini-stand-in.js";
import type { ModelStandIn } from "../testing/model-stand-in/open-model-stand-in.js";
import {
  openaiChunk,
  openaiStream,
  openaiText,
  openaiUnfinishedStream,
  openaiUsage,
  openOpenaiStandIn,
} from "../testing/model-stand-in/openai-stand-in.js";
import {
  eventStream,
  type StandInAnswer,
  thenFlood,
  thenWait,
} from "../testing/model-stand-in/stand-in-answer.js";
import { createGeminiModel } from "./gemini/create-gemini-model.js";
import type { Model } from "./model.js";
import { createOpenaiModel } from "./openai/create-openai-model.js";
import type { ReplyOptions } from "./vendor/open-exchange.js";
import type { StartTimer } from "./vendor/silence-timer.js";

const retries = { sleep: async () => {}, random: () => 0 };
const forever = new Promise<never>(() => {});

/** A stand-in, a model and sample replies of each vendor. */
const vendors = [
  {
    vendor: "Gemini",
    open: openGeminiStandIn,
    model: ({ url }: ModelStandIn, replies: ReplyOptions): Model =>
      createGeminiModel({
        model: "gemini-2.5-pro",
        access: { type: "key", apiKey: "key", baseUrl: url },
        retries,
        replies,
      }),
    begin: (text: string) => geminiStream([geminiChunk([{ text }])]),
    whole: geminiText,
  },
  {
    vendor: "OpenAI",
    open: openOpenaiStandIn,
    model: ({ url }: ModelStandIn, replies: ReplyOptions): Model =>
      createOpenaiModel({ model: "qwen3", baseUrl: `${url}/v1`, retries, replies }),
    begin: (text: string) => openaiUnfinishedStream([openaiChunk({ content: text })]),
    whole: openaiText,
  },
] as const;

/** A clock that the test advances, with one timer for each attempt. */
function manualClock() {
  const timers: { waits: number; isClosed: boolean; onTimeout(): void }[] = [];
  const startTimer: StartTimer = (_ms, onTimeout) => {
    const timer = { waits: 0, isClosed: false, onTimeout };
    timers.push(timer);
    return {
      refresh: () => {
        timer.waits += 1;
      },
      close: () => {
        timer.isClosed = true;
      },
    };
  };
  return {
    startTimer,
    /**
     * Lets the timer of an attempt expire during its wait number `waits`. Attempts are counted from 0, and
     * waits from 1. The first wait is for the headers.
     */
    async runOut(attempt: number, waits: number): Promise<void> {
      while ((timers[attempt]?.waits ?? 0) < waits) await setImmediate();
      while (timers[attempt]?.isClosed === false) {
        timers[attempt]?.onTimeout();
        await setImmediate();
      }
    },
    fireAll: () => {
      for (const { onTimeout } of timers) onTimeout();
    },
  };
}

const headersOnly: StandInAnswer = eventStream([]);

test.each(vendors)(
  "a silent endpoint of $vendor is retried with a notice each time",
  async (each) => {
    await using standIn = await each.open([
      thenWait(headersOnly, forever),
      thenWait(each.begin("one "), forever),
      each.whole("one two"),
    ]);

    const clock = manualClock();
    const answering = collectAnswer(each.model(standIn, clock));
    await clock.runOut(0, 2);
    await clock.runOut(1, 3);
    const { text, notices } = await answering;

    const silent = `the model at ${standIn.url} sent nothing for 120 s (DT_MODEL_SILENCE_MS)`;
    expect(notices).toEqual([
      `${silent}; trying again in 0 s (2 of 5)`,
      `${silent}; trying again in 0 s (3 of 5)`,
    ]);
    expect(text).toBe("one two");
    const abandoned = standIn.requests.map(({ isAbandoned }) => isAbandoned);
    expect(await Promise.all(abandoned)).toEqual([true, true, false]);
  },
);

test.each(vendors)("a slow consumer of a reply from $vendor causes no timeout", async (each) => {
  const clock = manualClock();
  await using standIn = await each.open([each.whole("hi")]);
  const model = each.model(standIn, clock);

  const parts: string[] = [];
  const { signal } = new AbortController();
  const { history = [] } = promptRequest("hello");
  for await (const part of model.stream({ history, tools: [], signal })) {
    // A timer that expires while the consumer handles this part must have no effect.
    clock.fireAll();
    parts.push(part.type);
  }

  expect(parts).toEqual(["text"]);
});

test.each(vendors)(
  "an endless line of $vendor is cut off instead of buffered [SEC-09]",
  async (each) => {
    const flood = thenFlood(each.begin("hi"), "data: x".padEnd(64 * 1024, "x"));
    await using standIn = await each.open([flood]);

    const { text, error } = await collectAnswer(each.model(standIn, {}));

    expect({ text, error }).toEqual({
      text: "hi",
      error: "the model sent an event of more than 4 MiB",
    });
    expect(await standIn.requests[0]?.isAbandoned).toBe(true);
  },
);

test.each(vendors)("an endless reply of $vendor is cut off [SEC-09]", async (each) => {
  const flood = thenFlood(each.begin("hi"), `: ${"x".repeat(32 * 1024)}\n\n`);
  await using standIn = await each.open([flood]);
  const limits = { maxReplyBytes: 1024 * 1024 };

  const { error } = await collectAnswer(each.model(standIn, { limits }));

  expect(error).toBe("the model sent a reply of more than 1 MiB");
});

test.each(vendors)(
  "an endless error body of $vendor is read only in part [SEC-09]",
  async (each) => {
    const headers = { "content-type": "text/plain" };
    const flood = thenFlood({ status: 400, headers, steps: [] }, "no ".repeat(10_000));
    await using standIn = await each.open([flood]);

    const { error } = await collectAnswer(each.model(standIn, {}));

    expect(error).toMatch(/^the model answered 400: no no no/);
    expect(await standIn.requests[0]?.isAbandoned).toBe(true);
  },
);

test.each(vendors)(
  "if the body of an error of $vendor never arrives, the error is reported by its status",
  async (each) => {
    const headers = { "content-type": "application/json" };
    const silent = thenWait({ status: 401, headers, steps: [] }, forever);
    await using standIn = await each.open([silent]);

    const clock = manualClock();
    const answering = collectAnswer(each.model(standIn, clock));
    await clock.runOut(0, 2);

    expect((await answering).error).toBe("the model answered 401");
  },
);

const malformed = {
  Gemini: [
    "{",
    "null",
    "5",
    '"text"',
    "[]",
    '{"candidates":5}',
    '{"candidates":{}}',
    '{"candidates":["x"]}',
    '{"candidates":[{"content":"x"}]}',
    '{"candidates":[{"content":{"parts":7}}]}',
    '{"candidates":[{"content":{"parts":[{"text":5}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":"x"}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":{}}}]}}]}',
    '{"candidates":[{"groundingMetadata":{"groundingChunks":[{"web":1}]}}]}',
    '{"candidates":[{"finishReason":{}}]}',
    '{"usageMetadata":{"promptTokenCount":"many"}}',
    '{"usageMetadata":3}',
    '{"promptFeedback":3}',
  ],
  OpenAI: [
    "{",
    "null",
    "5",
    '"text"',
    "[]",
    '{"choices":5}',
    '{"choices":["x"]}',
    '{"choices":[{"delta":"x"}]}',
    '{"choices":[{"delta":{"content":5}}]}',
    '{"choices":[{"delta":{"reasoning":[]}}]}',
    '{"choices":[{"delta":{"tool_calls":5}}]}',
    '{"choices":[{"delta":{"tool_calls":["x"]}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"index":"a"}]}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{}}}]}}]}',
    '{"choices":[{"finish_reason":7}]}',
    '{"choices":[],"usage":"x"}',
    '{"choices":[],"usage":{"prompt_tokens":"many"}}',
  ],
} as const;

// The chunk `null` counts as a chunk without parts, so its reply is reported as broken off.
test.each(vendors.flatMap((each) => malformed[each.vendor].map((chunk) => ({ ...each, chunk }))))(
  "a request is retried after the malformed chunk $chunk of $vendor",
  async (each) => {
    await using standIn = await each.open([eventStream([each.chunk]), each.whole("hi")]);

    const { text, notices, error } = await collectAnswer(each.model(standIn, {}));

    expect({ text, error }).toEqual({ text: "hi" });
    expect(notices).toEqual([
      expect.stringMatching(
        /^the model's reply (cannot be read|broke off).*; trying again in 0 s \(2 of 5\)$/,
      ),
    ]);
  },
);

test.each(
  [
    '{"candidates":null}',
    '{"candidates":[null]}',
    '{"candidates":[{"content":null,"finishReason":null}]}',
    '{"candidates":[{"content":{"parts":null}}],"usageMetadata":null,"promptFeedback":null}',
    '{"candidates":[{"content":{"parts":[{"text":null}]}}]}',
  ].map((chunk) => ({ chunk })),
)("the Gemini chunk $chunk yields no parts", async ({ chunk }) => {
  const end = JSON.stringify(geminiChunk([{ text: "hi" }], { finishReason: "STOP" }));
  await using standIn = await openGeminiStandIn([eventStream([chunk, end])]);

  const { text, notices, error } = await collectAnswer(vendors[0].model(standIn, {}));

  expect({ text, notices, error }).toEqual({ text: "hi", notices: [] });
});

const odd = [
  ["negative", -1e9, 0],
  ["fractional", 1.5, 2],
  ["too large", 1e300, 2 ** 31 - 1],
] as const;

test.each(odd)(
  "a count of tokens that is %s becomes a number that budgets can add [TEAM-04]",
  async (_, reported, counted) => {
    const usageMetadata = { promptTokenCount: reported, candidatesTokenCount: reported };
    const ended = { finishReason: "STOP", usageMetadata };
    const usage = openaiUsage({ prompt_tokens: reported, completion_tokens: reported });
    await using gemini = await openGeminiStandIn([
      geminiStream([geminiChunk([{ text: "hi" }], ended)]),
    ]);
    await using openai = await openOpenaiStandIn([
      openaiStream([openaiChunk({ content: "hi" }, "stop"), usage]),
    ]);

    const answers = [
      await collectAnswer(vendors[0].model(gemini, {})),
      await collectAnswer(vendors[1].model(openai, {})),
    ];

    const read = answers.map(({ parts }) => parts.find(({ type }) => type === "usage"));
    const expected = { inputTokens: counted, outputTokens: counted };
    expect(read).toMatchObject([{ usage: expected }, { usage: expected }]);
  },
);
