import { MAX_VIEW_ITEMS } from "@dt/schema";
import { buildEvent, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createItemCollector } from "./collect-items.js";

test("a whole conversation is collected, however long, page by page", () => {
  const count = MAX_VIEW_ITEMS * 2 + 7;
  const log = (index: number) =>
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: String(index) } });
  const events = Array.from({ length: count }, (_, index) => log(index));
  const collector = createItemCollector();

  for (let at = 0; at < count; at += 50) collector.take(events.slice(at, at + 50));

  const contents = collector
    .items()
    .map(({ event }) => event.kind === "CONSOLE_LOG" && event.log.content);
  expect(contents).toEqual(Array.from({ length: count }, (_, index) => String(index)));
});

test("text is one item, and a call is what became of it", () => {
  const collector = createItemCollector();
  const call = (status: "EXECUTING" | "SUCCEEDED") =>
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) });

  collector.take([
    buildEvent({ kind: "STATE_CHANGE" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "a" }),
  ]);
  collector.take([
    buildEvent({ kind: "TEXT_CONTENT", text: "b" }),
    call("EXECUTING"),
    call("SUCCEEDED"),
  ]);

  expect(collector.items()).toMatchObject([
    { event: { kind: "TEXT_CONTENT", text: "ab" } },
    { event: { kind: "TOOL_CALL_UPDATE", toolCall: { status: "SUCCEEDED" } } },
  ]);
});

test("how turns ended is told with its place", () => {
  const collector = createItemCollector();
  const rests = { state: "input-required" as const };

  collector.take([
    buildEvent({ kind: "TEXT_CONTENT", text: "a" }),
    buildEvent({ kind: "STATE_CHANGE" }, { ...rests, error: "on purpose" }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "working" }),
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "b" } }),
    buildEvent({ kind: "STATE_CHANGE" }, { ...rests, error: "the turn was cancelled" }),
  ]);

  expect(collector.ends()).toEqual([
    { type: "notice", text: "on purpose", isError: true, place: 1 },
    { type: "notice", text: "the turn was cancelled", isError: true, place: 2 },
  ]);
});
