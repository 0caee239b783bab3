import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitrarySessionEvent, EVENT_KINDS } from "../../testing/arbitrary/arbitrary-event.js";
import { buildEvent } from "../../testing/build-event.js";
import { decodeRecording, encodeRecordedEvent, encodeRecordingHeader } from "./recording-codec.js";

const anyEvent = fc.oneof(...EVENT_KINDS.map(arbitrarySessionEvent));
const header = { recordedAt: "2026-01-02T03:04:05.678Z", agent: "dt" };

test("a recording that is encoded and decoded is the same recording", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 5 }), (events) => {
      const text = [encodeRecordingHeader(header), ...events.map(encodeRecordedEvent)].join("");

      expect(decodeRecording(text)).toEqual({ ...header, events });
    }),
  );
});

test("a recording that is cut off at any byte has all events before the cut", () => {
  const events = ["one", "two"].map((text) => buildEvent({ kind: "TEXT_CONTENT", text }));
  const start = encodeRecordingHeader(header);
  const lines = events.map(encodeRecordedEvent);
  const text = start + lines.join("");

  for (let end = start.length; end <= text.length; end += 1) {
    const whole = lines.filter(
      (_, index) => start.length + lines.slice(0, index + 1).join("").length <= end,
    );
    expect(decodeRecording(text.slice(0, end)).events).toEqual(events.slice(0, whole.length));
  }
});

test.each([
  ["", "line 1: expected a JSON object"],
  ['{"type":"other"}\n', 'line 1: expected a header with "type":"dt-recording"'],
  ['{"type":"dt-recording","version":2}\n', "line 1: version 2 is not supported; expected 1"],
  ['{"type":"dt-recording","version":1}\nhello\n', "line 2: expected a JSON object"],
  [
    '{"type":"dt-recording","version":1}\n\n{"task":{"id":"t","contextId":"c","status":{}}}\n',
    "line 3: expected a statusUpdate",
  ],
])("decodeRecording refuses %j with the number of the faulty line", (text, message) => {
  expect(() => decodeRecording(text)).toThrow(message);
});
