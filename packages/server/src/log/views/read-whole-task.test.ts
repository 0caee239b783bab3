import { MAX_VIEW_ITEMS, type SessionEvent, type StampedEvent } from "@dt/schema";
import { buildEvent, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { readWholeTask } from "./read-whole-task.js";

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const call = (status: "EXECUTING" | "SUCCEEDED") =>
  ({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ toolCallId: "call", status }) }) as const;

/** A store that contains these events of one task. */
const openStore = (events: readonly SessionEvent[]) => ({
  readEvents: async ({ after, limit }: { after: number; limit: number }) =>
    events.slice(after, after + limit).map(({ contextId: _, cursor: __, ...event }, index) => ({
      position: after + index + 1,
      epoch: 1,
      event: { ...event, turn: 1 } as StampedEvent,
    })),
});

test("a call is one item with its start time, even if it ends after many other items", async () => {
  const log = buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "x" } });
  const events = [
    buildEvent(call("EXECUTING"), { at: at(1) }),
    ...Array.from({ length: MAX_VIEW_ITEMS + 100 }, () => log),
    buildEvent(call("SUCCEEDED"), { at: at(2) }),
  ];

  const view = await readWholeTask(openStore(events), {
    taskId: "task-1",
    contextId: "context-1",
    sessionCreatedAt: at(0),
  });

  expect(view.items).toHaveLength(MAX_VIEW_ITEMS + 101);
  expect(view).toMatchObject({ earlierItems: 0, cursor: expect.stringMatching(/^302\.1\./) });
  expect(view.items[0]).toMatchObject({ at: at(1), event: { toolCall: { status: "SUCCEEDED" } } });
});
