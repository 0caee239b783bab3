import { expect, test } from "vitest";
import { createAttachments } from "../log/attachments.js";
import type { SessionLog } from "../log/session-log.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { commitTo } from "../testing/commit-to.js";
import { first } from "../testing/store-checks.js";
import { createAddressGuard } from "./address/address-guard.js";
import { parsePushAllowList } from "./address/allow-list.js";
import { createNameResolver } from "./address/resolve-name.js";
import { createServerPushConfigs } from "./push-configs.js";
import type { PushSender } from "./push-sender.js";

const message = { user: "alice", messageId: "message" };

function openStage(maxPerTask: number, store = openMemoryStore()) {
  const updated: string[] = [];
  const stopped: string[] = [];
  const sender = {
    update: ({ configId }: { configId: string }) => void updated.push(configId),
    stop: async ({ configId }: { configId: string }) => void stopped.push(configId),
    countPending: async () => 7,
  };
  const configs = createServerPushConfigs({
    store,
    sender: sender as unknown as PushSender,
    guard: createAddressGuard({
      allowList: parsePushAllowList(["127.0.0.1"]),
      resolveName: createNameResolver(),
    }),
    maxPerTask,
    vault: createSecretVault(),
  });
  const log = { pushes: createAttachments() } as unknown as SessionLog;
  return { store, configs, log, updated, stopped };
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

test("a push config can be attached to a message up to the limit of its task [RFC-03]", async () => {
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

test("an attached config is refused if the other configs of its task already reach a lowered limit", async () => {
  const { store, configs } = openStage(3);
  for (const id of ["a", "b", "c"]) await configs.set(buildRequest(id));
  const { configs: lowered, log } = openStage(2, store);

  const again = lowered.attach(buildRequest("c"), { message, log });

  await expect(again).rejects.toMatchObject({ code: expect.any(String) });
});

test("a config keeps its revision if it is set again without changes [RFC-03]", async () => {
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

test("settle stores an attached config if its message was not committed with a receipt", async () => {
  const { configs, store, log, updated } = openStage(2);

  const attached = await configs.attach(buildRequest("a"), { message, log });
  await attached.settle(7);

  expect((await store.listPushes("task"))[0]).toMatchObject({
    configId: "a",
    progress: { after: 7 },
  });
  expect(updated).toEqual(["a"]);
});

test("an attached config that was committed with its message is not stored again", async () => {
  const { configs, store, log, updated } = openStage(2);

  const attached = await configs.attach(buildRequest("a"), { message, log });
  const taken = log.pushes.take(message);
  await attached.settle(7);
  const dropped = await configs.attach(buildRequest("b"), { message, log });
  dropped.drop();

  expect(taken).toMatchObject({ configId: "a", progress: { after: 0, isTaskDue: false } });
  expect(log.pushes.take(message)).toBeUndefined();
  expect([await store.listPushes("task"), updated]).toEqual([[], []]);
});

test("a config that is set for an existing task delivers the task first [RFC-03]", async () => {
  const { configs, store, updated } = openStage(2);
  const early = await configs.set(buildRequest("a"));
  await commitTo(store, [first([1, 2])]);

  const late = await configs.set(buildRequest("b"));
  const again = await configs.set(buildRequest("a", "http://127.0.0.1/other"));

  const fresh = { attempts: 0, failures: 0, hasGivenUp: false };
  expect([early.progress, late.progress, again.progress]).toEqual([
    { ...fresh, after: 0, isTaskDue: false },
    { ...fresh, after: 2, isTaskDue: true },
    { ...fresh, after: 0, isTaskDue: false },
  ]);
  expect(updated).toEqual(["a", "b", "a"]);
  expect(await configs.list("task")).toEqual([again, late]);
});

test("a config beyond the limit is refused, and deleting a config stops its deliveries", async () => {
  const { configs, updated, stopped } = openStage(1);
  await configs.set(buildRequest("a"));

  await expect(configs.set(buildRequest("b"))).rejects.toMatchObject({
    code: "agent-busy",
    data: { maxPushConfigs: 1 },
  });
  await configs.delete({ taskId: "task", configId: "a" });

  expect([updated, stopped, await configs.list("task")]).toEqual([["a"], ["a"], []]);
  expect(await configs.countPending()).toBe(7);
});
