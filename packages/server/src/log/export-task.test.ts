import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { commitTo } from "../testing/commit-to.js";
import { event, first, next, promptEvent } from "../testing/store-checks.js";
import { exportTask } from "./export-task.js";

async function textOf(store: Parameters<typeof exportTask>[0], taskId = "task"): Promise<string> {
  let text = "";
  for await (const piece of exportTask(store, taskId)) text += piece;
  return text;
}

test("an export has the owner, the events with their positions, and the task of A2A 1.0", async () => {
  const store = openMemoryStore();
  const other = { ...event(2), taskId: "other" };
  await commitTo(store, [
    {
      ...first([]),
      events: [
        { position: 1, event: promptEvent("hi") },
        { position: 2, event: other },
        { position: 3, event: { ...event(3), state: "completed" } },
      ],
    },
  ]);

  const exported = JSON.parse(await textOf(store));

  expect(Object.keys(exported)).toEqual(["events", "owner", "task"]);
  expect(exported.owner).toBe("alice");
  expect(exported.events).toEqual([
    { epoch: 1, position: 1, event: promptEvent("hi") },
    { epoch: 1, position: 3, event: { ...event(3), state: "completed" } },
  ]);
  expect(exported.task).toMatchObject({
    id: "task",
    contextId: "context",
    status: { state: "TASK_STATE_COMPLETED" },
  });
});

test("the keys of an export are sorted, and each event has its own line", async () => {
  const store = openMemoryStore();
  await commitTo(store, [first([1, 2])]);

  const lines = (await textOf(store)).split("\n");

  expect(lines[0]).toBe('{"events":[');
  expect(lines[1]).toMatch(
    /^\{"epoch":1,"event":\{"at":.*"kind":.*"state":.*"taskId":.*"text":.*"turn":1\},"position":1\},$/,
  );
  expect(lines.slice(2)).toEqual([
    expect.stringMatching(/^\{"epoch":1.*"position":2\}$/),
    "],",
    '"owner":"alice",',
    expect.stringMatching(/^"task":\{.*"contextId":.*"id":"task".*"status":.*\}\}$/),
    "",
  ]);
});

test("a task with more events than a page is exported completely, and each event once", async () => {
  const store = openMemoryStore();
  await commitTo(store, [first([1])]);
  for (let position = 2; position <= 512; position += 1) await commitTo(store, [next([position])]);

  const { events } = JSON.parse(await textOf(store)) as { events: { position: number }[] };

  expect(events.map(({ position }) => position)).toEqual(
    Array.from({ length: 512 }, (_, index) => index + 1),
  );
});

test("a task that does not exist cannot be exported", async () => {
  await expect(textOf(openMemoryStore(), "nope")).rejects.toMatchObject({
    code: "task-not-found",
    message: "there is no task nope",
  });
});
