import { expect, test } from "vitest";
import { createAttachedPushes } from "../log/attached-pushes.js";
import type { SessionLog } from "../log/session-log.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createAddressGuard } from "./address/address-guard.js";
import { parsePushAllowList } from "./address/allow-list.js";
import { createNameResolver } from "./address/resolve-name.js";
import { createServerPushConfigs } from "./push-configs.js";
import type { PushSender } from "./push-sender.js";

const message = { user: "alice", messageId: "message" };

function openStage(maxPerTask: number) {
  const store = openMemoryStore();
  const updated: string[] = [];
  const sender = { update: ({ configId }: { configId: string }) => void updated.push(configId) };
  const configs = createServerPushConfigs({
    store,
    sender: sender as unknown as PushSender,
    guard: createAddressGuard({
      allowList: parsePushAllowList(["127.0.0.1"]),
      resolveName: createNameResolver(),
    }),
    maxPerTask,
  });
  const log = { pushes: createAttachedPushes() } as unknown as SessionLog;
  return { store, configs, log, updated };
}

function buildRequest(configId: string, url = "http://127.0.0.1/hook") {
  return {
    taskId: "task",
    configId,
    contextId: "context",
    target: {
      url,
      version: "1.0" as const,
      developmentTool: true,
      session: true,
      allEvents: false,
    },
  };
}

test("a message may attach push configs up to the limit of its task [RFC-03]", async () => {
  const { configs, log } = openStage(2);
  await configs.set(buildRequest("a"));
  await configs.set(buildRequest("b"));

  await configs.attach(buildRequest("b"), { message, log });
  const third = configs.attach(buildRequest("c"), { message, log });

  await expect(third).rejects.toMatchObject({
    code: "agent-busy",
    data: { maxPushConfigs: 2 },
  });
});

test("a config that is set again unchanged keeps its revision [RFC-03]", async () => {
  const { configs } = openStage(2);

  const first = await configs.set(buildRequest("a"));
  const again = await configs.set(buildRequest("a"));
  const moved = await configs.set(buildRequest("a", "http://127.0.0.1/other"));

  expect(again.revision).toBe(first.revision);
  expect(moved.revision).not.toBe(first.revision);
});

test("a config that is deleted and set again gets a new revision [RFC-03]", async () => {
  const { configs, store } = openStage(2);

  const first = await configs.set(buildRequest("a"));
  await store.deletePush({ taskId: "task", configId: "a" });
  const again = await configs.set(buildRequest("a"));

  expect(first.target.life).toMatch(/^[\da-f-]{36}$/);
  expect(again.target.life).not.toBe(first.target.life);
  expect(again.revision).not.toBe(first.revision);
});

test("a config is stored after the delivery if its message has no receipt", async () => {
  const { configs, store, log, updated } = openStage(2);

  const attached = await configs.attach(buildRequest("a"), { message, log });
  await attached.settle(7);

  expect((await store.listPushes("task"))[0]).toMatchObject({
    configId: "a",
    progress: { after: 7 },
  });
  expect(updated).toEqual(["a"]);
});
