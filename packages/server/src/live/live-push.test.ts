import { expect, test } from "vitest";
import { silentLogger } from "../logging/logger.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import type { Commit } from "../store/commit.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createLivePush } from "./live-push.js";

const parts = { logger: silentLogger, onFault() {} };

function openStage() {
  const subscribers = new Set<(commit: Commit) => void>();
  const store = openMemoryStore();
  const resumed: unknown[] = [];
  const push = createLivePush({
    contextId: "c",
    vault: createSecretVault(),
    store: {
      ...store,
      resumePushes(now, scope) {
        resumed.push(scope);
        return store.resumePushes(now, scope);
      },
    },
    sessions: {
      subscribeToCommits(callback) {
        subscribers.add(callback);
        return () => void subscribers.delete(callback);
      },
    },
  });
  return { push, subscribers, resumed };
}

test("servers of a session share one sender until the last of them closes", async () => {
  const { push, subscribers, resumed } = openStage();

  const first = await push.open({}, parts);
  const second = await push.open({}, parts);
  const counts = [subscribers.size];
  await first.close();
  counts.push(subscribers.size);
  await second.close();
  counts.push(subscribers.size);
  const third = await push.open({}, parts);
  counts.push(subscribers.size);
  await third.close();

  expect(first.pushes).toBeDefined();
  expect(second.pushes).toBe(first.pushes);
  expect(third.pushes).not.toBe(first.pushes);
  expect(counts).toEqual([1, 1, 0, 1]);
  expect(resumed).toEqual([{ contextId: "c" }, { contextId: "c" }]);
});

test("a new server waits until the sender of the previous server is closed", async () => {
  const { push, subscribers } = openStage();
  const first = await push.open({}, parts);

  const closing = first.close();
  const second = await push.open({}, parts);
  const openSenders = subscribers.size;
  await closing;

  expect([openSenders, subscribers.size]).toEqual([1, 1]);
  expect(second.pushes).not.toBe(first.pushes);
  await second.close();
  expect(subscribers.size).toBe(0);
});

test("a server without push opens no sender", async () => {
  const { push, subscribers } = openStage();

  const { pushes, close } = await push.open({ push: false }, parts);
  await close();

  expect([pushes, subscribers.size]).toEqual([undefined, 0]);
});

test("the sender has the limits and options of the first server", async () => {
  const { push } = openStage();
  const { pushes, close } = await push.open({ limits: { maxPushConfigsPerTask: 0 } }, parts);
  const target = {
    url: "https://hooks.example/",
    version: "1.0",
    developmentTool: true,
    session: false,
    allEvents: false,
  } as const;

  const set = pushes?.set({ taskId: "t", configId: "p", contextId: "c", target });

  await expect(set).rejects.toThrow("the task has 0 push configs already");
  await close();
});
