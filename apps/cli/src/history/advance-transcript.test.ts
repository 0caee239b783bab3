import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import { buildEvent, buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { plainText } from "../text/span.js";
import {
  advanceTranscript,
  EMPTY_TRANSCRIPT,
  type Entry,
  liveItems,
} from "./advance-transcript.js";
import { entryLines } from "./entry-lines.js";

const say = (text: string) => buildEvent({ kind: "TEXT_CONTENT", text });
const enter = (state: SessionEvent["state"], header = {}) =>
  buildEvent({ kind: "STATE_CHANGE" }, { state, ...header });
const call = (toolCallId: string, status: "EXECUTING" | "SUCCEEDED") =>
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ toolCallId, status }) });

/** Advances a transcript with one event at a time, as a screen does. */
function feed(events: readonly SessionEvent[]) {
  let view: TaskView = emptyTaskView("task-1", "context-1");
  let transcript = EMPTY_TRANSCRIPT;
  const entries: Entry[] = [];
  for (const event of events) {
    view = reduceTaskView(view, event);
    const advance = advanceTranscript(transcript, view);
    transcript = advance.transcript;
    entries.push(...advance.entries);
  }
  return { view, transcript, entries, live: liveItems(transcript, view) };
}

const OPTIONS = { width: 60, isExpanded: false, isOwn: () => true };
const shown = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => entryLines(entry, OPTIONS)).map(plainText);

test("a block of text is not printed while it may grow, and is printed once it has ended", () => {
  const going = feed([enter("working"), say("one\n\ntw")]);
  expect(shown(going.entries)).toEqual(["", "● one"]);
  expect(going.live).toMatchObject([{ type: "text", isFirst: false }]);

  const ended = feed([enter("working"), say("one\n\ntw"), say("o"), enter("input-required")]);
  expect(shown(ended.entries)).toEqual(["", "● one", "", "  two"]);
  expect(ended.live).toEqual([]);
});

test("a tool call is printed when it has ended, and later items wait until then", () => {
  const running = feed([enter("working"), call("a", "EXECUTING"), call("b", "SUCCEEDED")]);
  expect(running.entries).toEqual([]);
  expect(running.live).toHaveLength(2);

  const done = feed([
    enter("working"),
    call("a", "EXECUTING"),
    call("b", "SUCCEEDED"),
    call("a", "SUCCEEDED"),
  ]);
  expect(done.entries.map((entry) => entry.type === "item" && entry.event.kind)).toEqual([
    "TOOL_CALL_UPDATE",
    "TOOL_CALL_UPDATE",
  ]);
  expect(done.live).toEqual([]);
});

test("a tool call with an open question is not printed", () => {
  const question = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() });

  expect(feed([enter("working"), question]).entries).toEqual([]);
});

test("the end of a failed or cancelled turn is printed once", () => {
  const error = { error: "the model did not answer" };
  const { entries } = feed([enter("working"), enter("input-required", error), enter("working")]);

  expect(entries).toEqual([{ type: "notice", text: error.error, isError: true }]);
  expect(feed([enter("working"), enter("canceled")]).entries).toEqual([
    { type: "notice", text: "the turn was cancelled", isError: false },
  ]);
});

test("items that the view dropped before they were printed are counted in a gap", () => {
  const { view } = feed([enter("working"), say("new"), enter("completed")]);

  const late = advanceTranscript(EMPTY_TRANSCRIPT, { ...view, earlierItems: 7 });

  expect(late.entries[0]).toEqual({ type: "gap", count: 7 });
  expect(shown(late.entries.slice(1))).toEqual(["", "● new"]);
});

test("a conversation longer than the view is printed completely", () => {
  const log = (index: number) =>
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: String(index) } });

  const { entries } = feed(Array.from({ length: 1000 }, (_, index) => log(index)));

  expect(entries).toHaveLength(1000);
});
