import { emptyTaskView, type FacePort, type SessionEvent, type ToolCall } from "@dt/schema";
import { buildEvent, buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createEventStream } from "./event-stream.js";
import { createTurnBook } from "./turn-book.js";

/**
 * Opens the stream of a session whose first view has no question. The events of the calls are in the replay,
 * and arrive again afterwards, because they happened while the history was read. Returns the ids of the calls
 * that are asked about.
 */
async function followAfter(calls: readonly ToolCall[]): Promise<readonly string[]> {
  const events = calls.map(
    (toolCall, index): SessionEvent => ({
      ...buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall }),
      cursor: String(index),
    }),
  );
  async function* pages() {
    yield events;
  }
  const face = {
    contextId: "context",
    traits: { own: {}, canWithdraw: false },
    events: pages,
    history: pages,
  } as unknown as FacePort;
  const asked: string[] = [];
  const stream = createEventStream({
    editor: {
      showsNotices: false,
      show: async () => {},
      ask: () => Promise.reject(new Error("the questions of this test ask nobody")),
      filesOf: () => undefined,
    },
    session: { face, directory: "/work", models: [] },
    questions: {
      follow: ({ toolCallId }) => void asked.push(toolCallId),
      notesOn: () => [],
      close() {},
    },
    turns: createTurnBook(() => false),
    signal: new AbortController().signal,
  });
  await stream.replay();
  await stream.follow(emptyTaskView("task", "context"));
  return asked;
}

test("a question that is asked while the history is replayed reaches the editor [ACP-02]", async () => {
  const question = buildQuestion({ toolCallId: "call-1" });

  expect(await followAfter([question])).toEqual(["call-1"]);
});

test("a question that is answered while the history is replayed is not asked [ACP-02]", async () => {
  const question = buildQuestion({ toolCallId: "call-1" });
  const ended = buildToolCall({ toolCallId: "call-1", status: "SUCCEEDED" });

  expect(await followAfter([question, ended])).toEqual([]);
});
