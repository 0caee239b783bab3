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
  openaiStreamOpen,
  openaiText,
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
import type { AnswerOptions } from "./vendor/open-exchange.js";
import type { StartTimer } from "./vendor/silence-timer.js";

const retries = { sleep: async () => {}, random: () => 0 };
const forever = new Promise<never>(() => {});

/** Each vendor: its stand-in, a model at it, and answers in its own format. */
const vendors = [
  {
    vendor: "Gemini",
    open: openGeminiStandIn,
    model: ({ url }: ModelStandIn, answers: AnswerOptions): Model =>
      createGeminiModel({
        model: "gemini-2.5-pro",
        access: { type: "key", apiKey: "key", baseUrl: url },
        retries,
        answers,
      }),
    begin: (text: string) => geminiStream([geminiChunk([{ text }])]),
    whole: geminiText,
  },
  {
    vendor: "OpenAI",
    open: openOpenaiStandIn,
    model: ({ url }: ModelStandIn, answers: AnswerOptions): Model =>
      createOpenaiModel({ model: "qwen3", baseUrl: `${url}/v1`, retries, answers }),
    begin: (text: string) => openaiStreamOpen([openaiChunk({ content: text })]),
    whole: openaiText,
  },
] as const;

/** A clock that the test moves; one timer for each try. */
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
    /** Lets a try's time run out at its wait of this number: 1 for headers, then for bytes. */
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
  "a $vendor that falls silent is retried, and the person sees it",
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
    const left = standIn.requests.map(({ isLeft }) => isLeft);
    expect(await Promise.all(left)).toEqual([true, true, false]);
  },
);

test.each(vendors)("a slow reader of a $vendor is no silence", async (each) => {
  const clock = manualClock();
  await using standIn = await each.open([each.whole("hi")]);
  const model = each.model(standIn, clock);

  const parts: string[] = [];
  const { signal } = new AbortController();
  const { history = [] } = promptRequest("hello");
  for await (const part of model.stream({ history, tools: [], signal })) {
    // Nobody waits for the endpoint while this part is being used.
    clock.fireAll();
    parts.push(part.type);
  }

  expect(parts).toEqual(["text"]);
});

test.each(vendors)(
  "a line without end of a $vendor is cut off, not kept [SEC-09]",
  async (each) => {
    const flood = thenFlood(each.begin("hi"), "data: x".padEnd(64 * 1024, "x"));
    await using standIn = await each.open([flood]);

    const { text, error } = await collectAnswer(each.model(standIn, {}));

    expect({ text, error }).toEqual({
      text: "hi",
      error: "the model sent an event of more than 4 MiB",
    });
    expect(await standIn.requests[0]?.isLeft).toBe(true);
  },
);

test.each(vendors)("an answer without end of a $vendor is cut off [SEC-09]", async (each) => {
  const flood = thenFlood(each.begin("hi"), `: ${"x".repeat(32 * 1024)}\n\n`);
  await using standIn = await each.open([flood]);
  const limits = { maxAnswerBytes: 1024 * 1024 };

  const { error } = await collectAnswer(each.model(standIn, { limits }));

  expect(error).toBe("the model sent an answer of more than 1 MiB");
});

test.each(vendors)("an error without end of a $vendor is read in part [SEC-09]", async (each) => {
  const headers = { "content-type": "text/plain" };
  const flood = thenFlood({ status: 400, headers, steps: [] }, "no ".repeat(10_000));
  await using standIn = await each.open([flood]);

  const { error } = await collectAnswer(each.model(standIn, {}));

  expect(error).toMatch(/^the model answered 400: no no no/);
  expect(await standIn.requests[0]?.isLeft).toBe(true);
});

test.each(vendors)("an error of a $vendor whose body never comes is its status", async (each) => {
  const headers = { "content-type": "application/json" };
  const silent = thenWait({ status: 401, headers, steps: [] }, forever);
  await using standIn = await each.open([silent]);

  const clock = manualClock();
  const answering = collectAnswer(each.model(standIn, clock));
  await clock.runOut(0, 2);

  expect((await answering).error).toBe("the model answered 401");
});

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

// A chunk that says nothing to an SDK is an answer that breaks off.
test.each(vendors.flatMap((each) => malformed[each.vendor].map((chunk) => ({ ...each, chunk }))))(
  "a $vendor that sends $chunk is asked again",
  async (each) => {
    await using standIn = await each.open([eventStream([each.chunk]), each.whole("hi")]);

    const { text, notices, error } = await collectAnswer(each.model(standIn, {}));

    expect({ text, error }).toEqual({ text: "hi" });
    expect(notices).toEqual([
      expect.stringMatching(
        /^the model's answer (cannot be read|broke off).*; trying again in 0 s \(2 of 5\)$/,
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
)("a Gemini chunk $chunk says nothing", async ({ chunk }) => {
  const end = JSON.stringify(geminiChunk([{ text: "hi" }], { finishReason: "STOP" }));
  await using standIn = await openGeminiStandIn([eventStream([chunk, end])]);

  const { text, notices, error } = await collectAnswer(vendors[0].model(standIn, {}));

  expect({ text, notices, error }).toEqual({ text: "hi", notices: [] });
});
