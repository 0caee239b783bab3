import { MAX_VIEW_ITEMS } from "@dt/schema";
import { buildEvent, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createItemCollector } from "./collect-items.js";

test("a conversation longer than the view is collected completely", () => {
  const count = MAX_VIEW_ITEMS * 2 + 7;
  const log = (index: number) =>
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: String(index) } });
  const events = Array.from({ length: count }, (_, index) => log(index));
  const collector = createItemCollector();

  for (let at = 0; at < count; at += 50) collector.add(events.slice(at, at + 50));

  const contents = collector
    .items()
    .map(({ event }) => event.kind === "CONSOLE_LOG" && event.log.content);
  expect(contents).toEqual(Array.from({ length: count }, (_, index) => String(index)));
});

test("chunks of text become one item, and a tool call has its last status", () => {
  const collector = createItemCollector();
  const call = (status: "EXECUTING" | "SUCCEEDED") =>
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) });

  collector.add([
    buildEvent({ kind: "STATE_CHANGE" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "a" }),
  ]);
  collector.add([
    buildEvent({ kind: "TEXT_CONTENT", text: "b" }),
    call("EXECUTING"),
    call("SUCCEEDED"),
  ]);

  expect(collector.items()).toMatchObject([
    { event: { kind: "TEXT_CONTENT", text: "ab" } },
    { event: { kind: "TOOL_CALL_UPDATE", toolCall: { status: "SUCCEEDED" } } },
  ]);
});

test("the ends of turns are collected with the index of the next item", () => {
  const collector = createItemCollector();
  const idle = { state: "input-required" as const };

  collector.add([
    buildEvent({ kind: "TEXT_CONTENT", text: "a" }),
    buildEvent({ kind: "STATE_CHANGE" }, { ...idle, error: "on purpose" }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "working" }),
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "b" } }),
    buildEvent({ kind: "STATE_CHANGE" }, { ...idle, error: "the turn was cancelled" }),
  ]);

  expect(collector.ends()).toEqual([
    { type: "notice", text: "on purpose", isError: true, itemIndex: 1 },
    { type: "notice", text: "the turn was cancelled", isError: false, itemIndex: 2 },
  ]);
});
