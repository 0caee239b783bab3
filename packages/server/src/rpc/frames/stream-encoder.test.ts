import { DEFAULT_EXTENSION_URIS, emptyTaskView, reduceTaskView } from "@dt/schema";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { createDialects, type Dialect, guideDialect, type StreamFrame } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { LoggedEvent } from "../../log/session-log.js";
import { createStreamEncoder } from "./stream-encoder.js";

const dialects = createDialects(DEFAULT_EXTENSION_URIS);
const both = (session: boolean) =>
  dialects.ofTask(undefined, { version: "1.0", developmentTool: true, session });
const plain = dialects.ofTask(undefined, {
  version: "1.0",
  developmentTool: false,
  session: false,
});
const empty = emptyTaskView("task-1", "context-1");
const openStream = (dialect: Dialect) =>
  createStreamEncoder(dialect, dialect.start(empty, { type: "events" }).memory);

test("an event is encoded once for all subscribers of a dialect", () => {
  let encodings = 0;
  const count = (dialect: Dialect): Dialect => ({
    ...dialect,
    encodeEvent(memory, event, at) {
      encodings += 1;
      return dialect.encodeEvent(memory, event, at);
    },
  });
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi" }, { cursor: "7" });
  const logged: LoggedEvent = { position: 7, turn: 1, event, encoded: new Map() };

  const frames = Array.from({ length: 100 }, () => openStream(count(both(true)))(logged, false));
  openStream(count(both(false)))(logged, false);
  for (let index = 0; index < 100; index += 1) openStream(count(plain))(logged, false);

  expect(encodings).toBe(3);
  expect(frames).toEqual(Array.from({ length: 100 }, () => frames[0]));
  expect(frames[0]).toHaveLength(1);
});

test("a chunk of the reply is encoded once for all plain clients that know the reply so far", () => {
  let encodings = 0;
  const counted: Dialect = {
    ...plain,
    encodeEvent(memory, event, at) {
      encodings += 1;
      return plain.encodeEvent(memory, event, at);
    },
  };
  const prompt = { messageId: "m", parts: [], origin: { principal: "ada", name: "" } };
  const events: LoggedEvent[] = [
    buildEvent({ kind: "USER_PROMPT", ...prompt }, { cursor: "1.x" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "a" }, { cursor: "2.x" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "b" }, { cursor: "3.x" }),
  ].map((event, index) => ({ position: index + 1, turn: 1, event, encoded: new Map() }));
  const { memory } = plain.start(empty, { type: "events" });
  const said = reduceTaskView(empty, buildEvent({ kind: "TEXT_CONTENT", text: "a" }));
  const textsIn = (frames: readonly StreamFrame[]) =>
    frames.map(({ json }) => {
      const { artifactUpdate, statusUpdate } = JSON.parse(json);
      return artifactUpdate
        ? [artifactUpdate.append, artifactUpdate.artifact.parts[0].text]
        : statusUpdate.status.message.parts[0].text;
    });

  const sender = createStreamEncoder(counted, memory);
  const sent = events.flatMap((each) => sender(each, false));
  const joined = createStreamEncoder(counted, memory, { views: [{ ...said, state: "working" }] });
  const late = createStreamEncoder(counted, memory);

  expect(textsIn(sent)).toEqual([[false, "a"], "a", [true, "b"], "b"]);
  expect(events.slice(2).flatMap((each) => joined(each, false))).toEqual(sent.slice(2));
  expect(encodings).toBe(3);
  // The late stream does not know the reply so far, so it sends the text in a status update and no chunk.
  expect(textsIn(events.slice(2).flatMap((each) => late(each, false)))).toEqual(["b"]);
  expect(events.map(({ encoded }) => encoded.size)).toEqual([1, 1, 2]);
});

test("the frames of an event do not depend on earlier events of the stream", () => {
  const question = buildQuestion();
  const events = [
    buildEvent({ kind: "TEXT_CONTENT", text: 'a "quoted"\n語' }, { cursor: "1.x" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "" }, { cursor: "2.x", at: "later" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "b" }, { cursor: "3.x", model: "m" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "live" }),
    buildEvent({ kind: "STATE_CHANGE", waiting: [question] }, { state: "input-required" }),
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: question }, { cursor: "4.x" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "c" }, { cursor: "5.x", error: "no" }),
  ];
  const logged = (): LoggedEvent[] =>
    events.map((event, index) => ({ position: index + 1, turn: 1, event, encoded: new Map() }));

  const variants = (["0.3", "1.0"] as const).flatMap((version) =>
    [true, false].map((each) =>
      dialects.ofTask(undefined, { version, developmentTool: each, session: each }),
    ),
  );
  for (const dialect of [...variants, guideDialect]) {
    const encode = openStream(dialect);
    for (const isLast of [false, true]) {
      expect(logged().map((each) => encode(each, isLast))).toEqual(
        logged().map((each) => openStream(dialect)(each, isLast)),
      );
    }
  }
});

test("frames are cached with their envelope, and an empty list of frames is cached too", () => {
  const change: LoggedEvent = {
    position: 1,
    turn: 1,
    event: buildEvent({ kind: "STATE_CHANGE" }),
    encoded: new Map(),
  };
  const text: LoggedEvent = {
    ...change,
    event: buildEvent({ kind: "TEXT_CONTENT", text: "hi" }, { cursor: "2.x" }),
    encoded: new Map(),
  };
  const envelope = { name: "array", wrap: ({ json }: { json: string }) => `[${json}]` };
  const encode = createStreamEncoder(guideDialect, undefined, { envelope });

  const json = '[{"kind":"TEXT_CONTENT","content":{"text":"hi"},"taskId":"task-1"}]';

  expect([encode(change, false), encode(change, false)]).toEqual([[], []]);
  expect(change.encoded.size).toBe(1);
  expect([encode(text, false), encode(text, false)]).toEqual(
    [1, 2].map(() => [{ json, cursor: "2.x" }]),
  );
});
