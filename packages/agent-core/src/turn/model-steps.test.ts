import type { Caller, SessionEvent, Usage } from "@dt/schema";
import { expect, test } from "vitest";
import { ModelError, type ModelRequest } from "../model/model.js";
import type { ModelPart } from "../model/model-part.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { openHeldLedger } from "../testing/held-ledger.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;
const prompt = { role: "user", parts };

async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  let calls = 0;
  const createId = () => `call-${++calls}`;
  const base = { model: scriptedModel([]), tools: [], workspace, ledger, createId };
  const session = await openDrivenSession({ ...base, ...options });
  return {
    ledger,
    session,
    prompt: () => session.prompt({ messageId: "m", taskId: "t", parts }, alice),
    async until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
      for await (const event of ledger.read()) if (fits(event)) return event;
      throw new Error("the ledger ended");
    },
    async untilEnd() {
      return await this.until(isEnd);
    },
    answered: () => ledger.journal.filter(({ type }) => type === "model-answered"),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const isEnd = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && ["completed", "failed", "canceled"].includes(event.state);

const usage = (inputTokens: number): Usage => ({
  inputTokens,
  outputTokens: 1,
  thoughtTokens: 0,
  cachedTokens: 0,
});
const request = (toolCallId: string, toolName: string, input = {}) => ({
  type: "tool-request",
  request: { toolCallId, toolName, input },
});

test("the parts of a reply are published as they arrive and journaled as one record", async () => {
  const tool = scriptedTool({ name: "look", isReadOnly: true, actions: () => [] });
  const thought = { subject: "s", description: "d" };
  const citation = { uri: "https://example.com/", title: "c" };
  const answer: readonly ModelPart[] = [
    { type: "thought", thought },
    say("a"),
    say("b"),
    { type: "usage", usage: usage(1) },
    { type: "text", text: "", signature: "s1" },
    say("c"),
    { type: "text", text: "d", signature: "s2" },
    { type: "citation", citation },
    { type: "notice", text: "tried again" },
    { ...callTool("look", { x: 1 }), signature: "s3" } as ModelPart,
    { ...callTool("look"), inputError: "garbled" } as ModelPart,
    callTool("look", [] as unknown as Record<string, unknown>),
    { type: "usage", usage: usage(2) },
  ];
  await using stage = await openStage({ tools: [tool], model: scriptedModel([answer]) });

  await stage.prompt();
  await stage.untilEnd();

  const shown = stage.ledger.events.map(({ kind, ...event }) => [
    kind,
    "text" in event && event.text,
    "thought" in event && event.thought,
    "citation" in event && event.citation,
    "log" in event && event.log,
  ]);
  const nothing = false;
  expect(shown.slice(3, 10)).toEqual([
    ["THOUGHT", nothing, thought, nothing, nothing],
    ["TEXT_CONTENT", "a", nothing, nothing, nothing],
    ["TEXT_CONTENT", "b", nothing, nothing, nothing],
    ["TEXT_CONTENT", "c", nothing, nothing, nothing],
    ["TEXT_CONTENT", "d", nothing, nothing, nothing],
    ["CITATION", nothing, nothing, citation, nothing],
    ["CONSOLE_LOG", nothing, nothing, nothing, { type: "warn", content: "tried again" }],
  ]);
  const pending = { toolName: "look", status: "PENDING", result: undefined };
  const signedRequest = request("call-1", "look", { x: 1 });
  expect(stage.answered()).toEqual([
    {
      type: "model-answered",
      said: [
        say("ab"),
        { type: "text", text: "", signature: "s1" },
        say("c"),
        { type: "text", text: "d", signature: "s2" },
        { ...signedRequest, request: { ...signedRequest.request, signature: "s3" } },
        request("call-2", "look"),
        request("call-3", "look"),
      ],
      calls: [
        { ...pending, toolCallId: "call-1", inputParameters: { x: 1 } },
        { ...pending, toolCallId: "call-2", inputParameters: {} },
        { ...pending, toolCallId: "call-3", inputParameters: {} },
      ],
      inputErrors: { "call-2": "garbled", "call-3": "the arguments must be a JSON object" },
      usage: usage(2),
    },
    { type: "model-answered", said: [], calls: [], inputErrors: {} },
  ]);
  expect(tool.ran).toEqual(["call-1"]);
});

test("a usage event follows each reply that reports its tokens", async () => {
  const price = { input: 2, output: 10 };
  const model = {
    ...scriptedModel([
      [say("a"), { type: "usage", usage: usage(10) }, callTool("look")],
      [say("b"), { type: "usage", usage: usage(30) }],
    ]),
    contextTokens: 1_000,
  };
  const tool = scriptedTool({ name: "look", isReadOnly: true, actions: () => [] });
  await using stage = await openStage({ tools: [tool], model, prices: { [model.name]: price } });

  await stage.prompt();
  await stage.untilEnd();

  const dollars = (amount: string) => ({ amount, currency: "USD" });
  const first = { turn: usage(10), session: usage(10), contextTokens: 11, contextLimit: 1_000 };
  const both = { ...usage(40), outputTokens: 2 };
  const second = { turn: both, session: both, contextTokens: 31, contextLimit: 1_000 };
  expect(
    stage.ledger.events.flatMap((event) => (event.kind === "USAGE" ? [event.report] : [])),
  ).toEqual([
    { ...first, turnCost: dollars("0.00003"), sessionCost: dollars("0.00003") },
    { ...second, turnCost: dollars("0.0001"), sessionCost: dollars("0.0001") },
  ]);
});

test("the usage of a model without a price has no cost", async () => {
  const model = scriptedModel([[say("a"), { type: "usage", usage: usage(10) }]]);
  await using stage = await openStage({ model });

  await stage.prompt();
  await stage.untilEnd();

  expect(stage.ledger.events.find(({ kind }) => kind === "USAGE")).toMatchObject({
    report: { turn: usage(10), session: usage(10), contextTokens: 11, contextLimit: 0 },
  });
  expect(stage.answered()).toEqual([expect.not.objectContaining({ costNanos: expect.anything() })]);
});

test("a file that the model returns is shown with the reply and mentioned in the history", async () => {
  const file = { bytes: "eA==", mediaType: "image/png" };
  await using stage = await openStage({
    model: scriptedModel([
      [
        { type: "text", text: "Here: " },
        { type: "file", file },
      ],
    ]),
  });

  await stage.prompt();
  await stage.untilEnd();

  const texts = stage.ledger.events.filter(({ kind }) => kind === "TEXT_CONTENT");
  expect(texts).toMatchObject([
    { text: "Here: " },
    { text: "", attachments: [{ type: "file", ...file }] },
  ]);
  expect(stage.answered()).toMatchObject([
    { said: [{ type: "text", text: "Here: [file: image/png]" }] },
  ]);
});

test("a reply that breaks off keeps its text, and its tool calls do not run", async () => {
  const tool = scriptedTool({ name: "look", actions: () => [] });
  await using stage = await openStage({
    tools: [tool],
    model: scriptedModel([
      function* () {
        yield say("half");
        yield callTool("look");
        throw new ModelError("the connection broke");
      },
    ]),
  });

  await stage.prompt();

  expect(await stage.untilEnd()).toMatchObject({ state: "failed", error: "the connection broke" });
  expect(stage.answered()).toEqual([
    {
      type: "model-answered",
      said: [say("half")],
      calls: [],
      inputErrors: {},
      isBrokenOff: true,
    },
  ]);
  expect(tool.ran).toEqual([]);
});

test("text that arrives after a cancel is ignored, and the model's stream is closed", async () => {
  let isClosed = false;
  const model = scriptedModel([
    async function* ({ signal }) {
      try {
        yield say("before");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield say("after");
        yield callTool("look");
      } finally {
        isClosed = true;
      }
    },
  ]);
  await using stage = await openStage({ model });
  await stage.prompt();
  await stage.until(({ kind }) => kind === "TEXT_CONTENT");

  await stage.session.cancel("t");

  expect(isClosed).toBe(true);
  expect(stage.session.snapshot().history).toEqual([
    prompt,
    { role: "model", parts: [say("before")] },
  ]);
});

test("a model gets the conversation, the current instructions and the tools that are not internal", async () => {
  const asked: ModelRequest[] = [];
  const model = scriptedModel([
    (given) => {
      asked.push(given);
      return [callTool("look")];
    },
    (given) => {
      asked.push(given);
      return [];
    },
  ]);
  const look = scriptedTool({ name: "look", actions: () => [] });
  const hidden = { ...scriptedTool({ name: "hidden" }), isInternal: true };
  const system = () => `step ${asked.length + 1}`;
  await using stage = await openStage({ model, tools: [look, hidden], system });

  await stage.prompt();
  await stage.untilEnd();

  const expected = {
    tools: [{ name: "look", description: "look", parameters: { type: "object" } }],
    signal: expect.any(AbortSignal),
  };
  const called = { role: "model", parts: [request("call-1", "look")] };
  const result = { toolCallId: "call-1", toolName: "look", text: "done", isError: false };
  expect(asked).toEqual([
    { ...expected, history: [prompt], system: "step 1" },
    {
      ...expected,
      history: [prompt, called, { role: "tool", results: [result] }],
      system: "step 2",
    },
  ]);
});

test("the model's stream is paused while 256 events are not committed", async () => {
  let pulled = 0;
  const model = scriptedModel([
    function* () {
      for (; pulled < 600; pulled += 1) yield say(`${pulled}`);
    },
  ]);
  await using stage = await openStage({ model });
  stage.ledger.hold(({ events }) => events.some(({ kind }) => kind === "TEXT_CONTENT"));
  await stage.prompt();
  await stage.ledger.nextHeld();
  let before = -1;
  while (before !== pulled) {
    before = pulled;
    for (let tick = 0; tick < 20; tick += 1) await new Promise(setImmediate);
  }
  stage.ledger.release();
  await stage.untilEnd();

  expect(before).toBe(255);
  expect(pulled).toBe(600);
});

test("a step with 30 calls causes no Node warning about too many listeners", async () => {
  const warnings: string[] = [];
  const warn = ({ message }: Error) => warnings.push(message);
  process.on("warning", warn);
  const look = scriptedTool({ name: "look", isReadOnly: true, actions: () => [] });
  await using stage = await openStage({
    tools: [look],
    model: scriptedModel([Array.from({ length: 30 }, () => callTool("look"))]),
  });

  await stage.prompt();
  await stage.untilEnd();
  await new Promise(setImmediate);
  process.off("warning", warn);

  expect(look.ran).toHaveLength(30);
  expect(warnings.filter((message) => message.includes("listeners"))).toEqual([]);
});
