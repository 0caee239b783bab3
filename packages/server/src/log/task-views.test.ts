import { emptyTaskView, reduceTaskView, type SessionEvent, type StampedEvent } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { toLoggedEvent } from "./logged-event.js";
import { createTaskViews, type StoredEvents } from "./task-views.js";

const nothing: StoredEvents = { pageSize: 1, lastSeq: () => 0, read: async () => [] };
const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

const logged = (event: SessionEvent, index: number) => {
  const { contextId: _, cursor: __, ...stamped } = event;
  const place = { contextId: "context-1", cursor: `${index + 1}` };
  return toLoggedEvent({ seq: index + 1, event: { ...stamped, turn: 1 } as StampedEvent }, place);
};

test("text that is folded in at once is as if it were folded in piece by piece", async () => {
  const usage = { inputTokens: 1, outputTokens: 1, thoughtTokens: 0, cachedTokens: 0 };
  const say = (text: string, header = {}) => buildEvent({ kind: "TEXT_CONTENT", text }, header);
  const events = [
    buildEvent({ kind: "STATE_CHANGE" }, { state: "working" }),
    say("a", { at: at(1) }),
    say("b", { at: at(2), model: "one" }),
    say("c", { usage }),
    say("d"),
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "x" } }),
    say("e", { at: at(3) }),
    say("f", { at: at(4) }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "completed" }),
    say("g"),
  ].map(logged);
  const views = createTaskViews("context-1");
  views.begin("task-1");

  for (const event of events) views.take(event);
  const view = await views.get("task-1", nothing);

  const one = events.reduce(
    (folded, { event }) => reduceTaskView(folded, event),
    emptyTaskView("task-1", "context-1"),
  );
  expect(view).toEqual(one);
});
