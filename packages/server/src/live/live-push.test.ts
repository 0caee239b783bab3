import { expect, test } from "vitest";
import { silentLogger } from "../logging/logger.js";
import type { Commit } from "../store/commit.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createLivePush } from "./live-push.js";

const parts = { logger: silentLogger, onFault() {} };

function openStage() {
  const observers = new Set<(commit: Commit) => void>();
  const store = openMemoryStore();
  const resumed: unknown[] = [];
  const push = createLivePush({
    contextId: "c",
    store: {
      ...store,
      resumePushes(now, scope) {
        resumed.push(scope);
        return store.resumePushes(now, scope);
      },
    },
    sessions: {
      observeCommits(callback) {
        observers.add(callback);
        return () => void observers.delete(callback);
      },
    },
  });
  return { push, observers, resumed };
}

test("the servers of a session share one sender, which is there as long as one of them is", async () => {
  const { push, observers, resumed } = openStage();

  const first = await push.open({}, parts);
  const second = await push.open({}, parts);
  const counts = [observers.size];
  await first.close();
  counts.push(observers.size);
  await second.close();
  counts.push(observers.size);
  const third = await push.open({}, parts);
  counts.push(observers.size);
  await third.close();

  expect(first.pushes).toBeDefined();
  expect(second.pushes).toBe(first.pushes);
  expect(third.pushes).not.toBe(first.pushes);
  expect(counts).toEqual([1, 1, 0, 1]);
  expect(resumed).toEqual([{ contextId: "c" }, { contextId: "c" }]);
});

test("a server that comes while the last one leaves waits for it", async () => {
  const { push, observers } = openStage();
  const first = await push.open({}, parts);

  const closing = first.close();
  const second = await push.open({}, parts);
  await closing;

  expect(observers.size).toBe(1);
  expect(second.pushes).not.toBe(first.pushes);
  await second.close();
  expect(observers.size).toBe(0);
});

test("a server that calls nobody opens nothing", async () => {
  const { push, observers } = openStage();

  const { pushes, close } = await push.open({ push: false }, parts);
  await close();

  expect([pushes, observers.size]).toEqual([undefined, 0]);
});
