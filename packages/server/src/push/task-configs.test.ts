import { expect, test } from "vitest";
import type { PushRecord } from "../store/push-record.js";
import { createTaskConfigs } from "./task-configs.js";

function buildPush(configId: string, hasGivenUp = false): PushRecord {
  return {
    taskId: "task",
    configId,
    contextId: "context",
    revision: "1",
    target: {
      url: "https://a.example/hook?secret=1",
      version: "1.0",
      developmentTool: true,
      session: true,
      allEvents: false,
    },
    progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp },
  };
}

/** Creates a cache. Its store answers each read with the next of the given lists or errors. */
function openCache(...answers: readonly (readonly PushRecord[] | Error)[]) {
  const asked: string[] = [];
  const cache = createTaskConfigs({
    async listPushes(taskId) {
      asked.push(taskId);
      const answer = answers[asked.length - 1] ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const idsOf = async () => (await cache.configsOf("task")).map(({ configId }) => configId);
  return { asked, cache, idsOf };
}

test("the store is read once per task, and given-up configs are left out", async () => {
  const { asked, cache, idsOf } = openCache([buildPush("a"), buildPush("b", true)]);

  expect(await idsOf()).toEqual(["a"]);
  expect(cache.configsOf("task")).toEqual([
    {
      key: '["task","a"]',
      origin: "https://a.example",
      receiver: "https://a.example/hook",
      taskId: "task",
      contextId: "context",
      configId: "a",
      allEvents: false,
    },
  ]);
  expect(asked).toEqual(["task"]);
});

test("a forgotten task is read again, even if it was forgotten during a read", async () => {
  const { asked, cache, idsOf } = openCache([buildPush("a")], [buildPush("b")], [buildPush("c")]);

  const first = idsOf();
  cache.forget("task");
  const second = idsOf();
  expect([await first, await second, await idsOf()]).toEqual([["a"], ["b"], ["b"]]);
  cache.forget("task");
  expect(await idsOf()).toEqual(["c"]);
  expect(asked).toHaveLength(3);
});

test("a read that failed is not cached", async () => {
  const { idsOf } = openCache(new Error("disk full"), [buildPush("a")]);

  await expect(idsOf()).rejects.toThrow("disk full");
  expect(await idsOf()).toEqual(["a"]);
});

test("the task that was read first is evicted when the cache exceeds 4,096 tasks", async () => {
  const { asked, cache } = openCache();
  for (let count = 0; count <= 4_096; count += 1) await cache.configsOf(`task ${count}`);

  await cache.configsOf("task 1");
  expect(asked).toHaveLength(4_097);
  await cache.configsOf("task 0");

  expect(asked.at(-1)).toBe("task 0");
  expect(asked).toHaveLength(4_098);
});
