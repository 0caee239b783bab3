import type { StampedEvent } from "@dt/schema";
import { expect, onTestFinished, test } from "vitest";
import { event, session } from "../../../testing/store-checks.js";
import type { Commit } from "../../commit.js";
import type { EventQuery, LogEvent } from "../../session-store.js";
import type { ObjectBucket } from "../bucket/object-bucket.js";
import { applyToIndex, createGcsState, removeFromIndex } from "../state/gcs-state.js";
import { createProjector } from "./projector.js";

/** Opens a projector on a bucket in memory, with tasks in sessions of their own. */
function openStage() {
  const objects = new Map<string, string>();
  const state = createGcsState();
  const events: LogEvent[] = [];
  const faults: unknown[] = [];
  const stage = {
    queries: [] as EventQuery[],
    onRead: async (): Promise<void> => {},
    onWrite: async (_name: string): Promise<void> => {},
  };
  const bucket = {
    async write(name: string, body: string) {
      await stage.onWrite(name);
      objects.set(name, body);
    },
    list: async (folder: string) => [...objects.keys()].filter((name) => name.startsWith(folder)),
    delete: async (name: string) => void objects.delete(name),
  } as unknown as ObjectBucket;
  const projector = createProjector({
    bucket,
    state,
    async readEvents(query) {
      stage.queries.push(query);
      await stage.onRead();
      return events
        .filter(
          ({ position, event: { taskId } }) => taskId === query.taskId && position > query.after,
        )
        .slice(0, query.limit);
    },
    onFault: (reason) => faults.push(reason),
  });
  onTestFinished(() => projector.close({ drains: false }));
  return Object.assign(stage, {
    objects,
    state,
    faults,
    projector,
    stateOf: (taskId: string) =>
      JSON.parse(objects.get(`tasks/${taskId}/state.json`) ?? "{}").state,
    /** Adds an event to a task. */
    add(taskId: string, about: Partial<StampedEvent> = { state: "completed" }) {
      const position = (state.tables.tasks.get(taskId)?.lastPosition ?? 0) + 1;
      const added = { ...event(position), taskId, ...about } as StampedEvent;
      const logged = { position, epoch: 1, event: added };
      events.push(logged);
      const commit: Commit = {
        contextId: `of-${taskId}`,
        epoch: 1,
        number: position,
        expectedHead: position - 1,
        ...(position === 1 && { session: { ...session, contextId: `of-${taskId}` } }),
        events: [logged],
        journal: [],
        isCritical: false,
      };
      applyToIndex(state, commit);
    },
  });
}

const drain = async ({ projector }: ReturnType<typeof openStage>) => {
  projector.start();
  await projector.close({ drains: true });
};

test("a task that is deleted while it is written leaves no object behind", async () => {
  const stage = openStage();
  stage.add("task");
  stage.onWrite = async (name) => {
    if (name.endsWith("history.json")) removeFromIndex(stage.state, "of-task");
  };

  await drain(stage);

  expect([...stage.objects.keys()]).toEqual([]);
  expect(stage.state.tables.unprojected.size).toBe(0);
  expect(stage.faults).toEqual([]);
});

test("a task that changes while it is written is written again", async () => {
  const stage = openStage();
  stage.add("task", { state: "input-required" });
  let isChanged = false;
  stage.onWrite = async (name) => {
    if (isChanged || !name.endsWith("history.json")) return;
    isChanged = true;
    stage.add("task");
  };

  await drain(stage);

  expect(stage.stateOf("task")).toBe("completed");
  expect(stage.queries.map(({ after }) => after)).toEqual([0, 1]);
});

test("a task that begins to work while it is written is written when its turn has ended", async () => {
  const stage = openStage();
  stage.add("task", { state: "input-required" });
  stage.onRead = async () => {
    stage.onRead = async () => {};
    stage.add("task", { state: "working" });
  };
  stage.projector.start();
  await expect.poll(() => stage.state.tables.unprojected.size).toBe(0);
  const early = stage.queries.length;

  stage.add("task");
  await drain(stage);

  expect(early).toBe(1);
  expect(stage.stateOf("task")).toBe("completed");
});

test("the next projection of a task reads only newer events, for the 64 tasks that were written last", async () => {
  const stage = openStage();
  const write = async (taskId: string, state: StampedEvent["state"]) => {
    stage.add(taskId, { state });
    stage.projector.start();
    await expect.poll(() => stage.state.tables.unprojected.size).toBe(0);
  };
  for (let index = 0; index < 65; index += 1) await write(`task-${index}`, "input-required");
  stage.queries.length = 0;

  for (const index of [1, 0, 64]) await write(`task-${index}`, "completed");

  expect(stage.queries.map(({ taskId, after }) => [taskId, after])).toEqual([
    ["task-1", 1],
    ["task-0", 0],
    ["task-64", 1],
  ]);
});

test("a projection that fails while the store closes is reported once, and ends the close", async () => {
  const stage = openStage();
  stage.add("task");
  stage.onWrite = async () => {
    throw new Error("no answer");
  };

  await stage.projector.close({ drains: true });
  stage.projector.start();

  expect(stage.faults).toMatchObject([{ message: "no answer" }]);
  expect(stage.state.tables.unprojected.has("task")).toBe(true);
});

test("a closed projector writes nothing, and a close without draining leaves the queue", async () => {
  const stage = openStage();
  stage.add("task");

  await stage.projector.close({ drains: false });
  stage.projector.start();
  await new Promise(setImmediate);

  expect([stage.objects.size, stage.state.tables.unprojected.size]).toEqual([0, 1]);
});
