import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_EXTENSION_URIS } from "../../extension/extension-uri.js";
import { arbitrarySessionEvent } from "../../testing/arbitrary/arbitrary-event.js";
import { buildEvent } from "../../testing/build-event.js";
import type { A2aSpelling } from "../a2a/a2a.js";
import { V0_3 } from "../a2a/v0-3.js";
import { V1_0 } from "../a2a/v1-0.js";
import { type Activation, encodeEvent } from "./event-codec.js";
import { createTextFrameEncoder, type TextEvent } from "./text-frame-codec.js";

const uris = DEFAULT_EXTENSION_URIS;
const dialects = [V0_3, V1_0].flatMap((spelling) =>
  [true, false].flatMap((developmentTool) =>
    [true, false].map((session) => ({
      spelling,
      activation: { uris, developmentTool, session },
      name: `A2A ${spelling.version}, RFC ${developmentTool}, session ${session}`,
    })),
  ),
);

/** Pieces of text. Each has its own text, time and cursor, and one of at most three headers. */
const arbitraryStream = fc
  .tuple(
    fc.array(arbitrarySessionEvent("TEXT_CONTENT"), { minLength: 1, maxLength: 3 }),
    fc.array(
      fc.record({
        pick: fc.nat({ max: 2 }),
        text: fc.string({ unit: "binary" }),
        at: fc.string({ unit: "binary" }),
        cursor: fc.option(fc.string({ unit: "binary" }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  )
  .map(([headers, pieces]) =>
    pieces.map(({ pick, text, at, cursor }) => {
      const { cursor: _, ...header } = headers[pick % headers.length] as TextEvent;
      return { ...header, text, at, ...(cursor !== undefined && { cursor }) };
    }),
  );

describe.each(dialects)("$name", ({ spelling, activation }) => {
  test("the encoder writes the same bytes as JSON.stringify", () => {
    fc.assert(
      fc.property(arbitraryStream, (events) => {
        const encode = createTextFrameEncoder((event) =>
          encodeAsObject(event, spelling, activation),
        );

        expect(events.map(encode)).toEqual(
          events.map((event) => encodeAsObject(event, spelling, activation)),
        );
      }),
    );
  });

  test.each(["taskId", "contextId", "model", "userTier", "traceId"])(
    "the mark character U+E000 in %s and in the text does not change the frame",
    (key) => {
      const encode = createTextFrameEncoder((event) => encodeAsObject(event, spelling, activation));
      // The encoder marks the fields of its template with U+E000 and the letter of the field.
      const marks = "\uE000t\uE000a\uE000c\\uE000t";
      const events = [marks, "\uE000t", "", '"'].flatMap((text) => [
        buildText({ text, [key]: marks }),
        buildText({ text, at: marks, cursor: marks }),
      ]);

      expect(events.map(encode)).toEqual(
        events.map((event) => encodeAsObject(event, spelling, activation)),
      );
    },
  );
});

test("the mark character U+E000 in an extension's URI does not change the frame", () => {
  const marked = { developmentTool: "urn:\uE000t", session: "urn:\uE000c" };
  const activation: Activation = { uris: marked, developmentTool: true, session: true };
  const event = buildText({ text: "\uE000t" });

  expect(createTextFrameEncoder((each) => encodeAsObject(each, V1_0, activation))(event)).toBe(
    encodeAsObject(event, V1_0, activation),
  );
});

function buildText(overrides: Partial<TextEvent>): TextEvent {
  const { text = "hi", ...header } = overrides;
  return buildEvent({ kind: "TEXT_CONTENT", text }, { cursor: "7.abc", ...header }) as TextEvent;
}

function encodeAsObject(event: TextEvent, spelling: A2aSpelling, activation: Activation): string {
  const update = encodeEvent(event, activation, false);
  return JSON.stringify(spelling.encodeFrame({ type: "status-update", ...update }));
}
