import { defaultExtensionUris } from "@dt/schema";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { LoggedEvent } from "../../log/session-log.js";
import { createEventEncoder, type Dialect, encodeEventFrame } from "./encode-frames.js";

const dialect = (session: boolean): Dialect => ({
  spelling: spellings["1.0"],
  activation: { uris: defaultExtensionUris, developmentTool: true, session },
});

test("an event is encoded once for all observers of a dialect", () => {
  let encodings = 0;
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi" }, { cursor: "7" });
  const logged: LoggedEvent = {
    seq: 7,
    turn: 1,
    encoded: new Map(),
    get event() {
      return {
        ...event,
        get text() {
          encodings += 1;
          return "hi";
        },
      };
    },
  } as LoggedEvent;

  const frames = Array.from({ length: 100 }, () => encodeEventFrame(logged, dialect(true), false));
  encodeEventFrame(logged, dialect(false), false);

  expect(encodings).toBe(2);
  expect(new Set(frames.map(({ json }) => json)).size).toBe(1);
});

test("a stream writes every event as it is written alone, to the byte", () => {
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
    events.map((event, index) => ({ seq: index + 1, turn: 1, event, encoded: new Map() }));

  for (const spelling of Object.values(spellings)) {
    for (const developmentTool of [true, false]) {
      const activation = { uris: defaultExtensionUris, developmentTool, session: developmentTool };
      const encode = createEventEncoder({ spelling, activation });
      for (const isFinal of [false, true]) {
        expect(logged().map((each) => encode(each, isFinal))).toEqual(
          logged().map((each) => encodeEventFrame(each, { spelling, activation }, isFinal)),
        );
      }
    }
  }
});
