import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import { expect, test } from "vitest";
import { createUnseenPrompts } from "./unseen-prompts.js";

const header = { taskId: "task", contextId: "context", state: "working", at: "" } as const;
const origin = { principal: "local", name: "" };
const prompt = (messageId: string): SessionEvent => ({
  kind: "USER_PROMPT",
  messageId,
  parts: [],
  origin,
  ...header,
});
const queue = (...ids: readonly string[]): SessionEvent => ({
  kind: "QUEUE",
  prompts: ids.map((messageId) => ({ messageId, text: "", origin })),
  ...header,
});
const text: SessionEvent = { kind: "TEXT_CONTENT", text: "x", ...header };
const empty = emptyTaskView("task", "context");
const showing = (...ids: readonly string[]): TaskView =>
  ids.map(prompt).reduce(reduceTaskView, empty);

test.each<[string, readonly SessionEvent[], readonly boolean[], number]>([
  ["no event arrived", [], [], 1],
  ["another event arrived", [text, prompt("other")], [false, false], 1],
  ["its turn began", [prompt("own")], [true], 0],
  ["its turn began twice", [prompt("own"), prompt("own")], [true, false], 0],
  ["it is queued", [queue("other", "own"), text], [false, false], 1],
  ["it left the queue", [queue("own"), queue()], [false, false], 1],
  [
    "it left the queue and its turn began",
    [queue("own"), queue(), prompt("own")],
    [false, false, true],
    0,
  ],
  ["it was withdrawn", [queue("own"), queue(), text], [false, false, false], 0],
  ["only other prompts were queued", [queue("other"), queue(), text], [false, false, false], 1],
])("apply() tracks a sent prompt if %s", (_, events, begun, left) => {
  const unseen = createUnseenPrompts();
  unseen.expect(showing("earlier", "own"), empty);

  expect(events.map((event) => unseen.apply(event))).toEqual(begun);
  expect(unseen.size).toBe(left);
});

test("expect() ignores a prompt that is shown already, and a view without prompts", () => {
  const unseen = createUnseenPrompts();

  unseen.expect(showing("own"), showing("own", "later"));
  unseen.expect(empty, empty);

  expect(unseen.size).toBe(0);
  unseen.expect(showing("own"), showing("other"));
  expect(unseen.size).toBe(1);
});

test("settle() forgets a prompt that left the queue, and keeps a queued prompt", () => {
  const unseen = createUnseenPrompts();
  unseen.expect(showing("gone"), empty);
  unseen.expect(showing("waits"), empty);
  unseen.apply(queue("gone", "waits"));
  unseen.apply(queue("waits"));

  unseen.settle();

  expect(unseen.size).toBe(1);
});
