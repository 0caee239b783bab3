import { expect, test } from "vitest";
import {
  type ConversationScript,
  openConversation,
} from "../task/scripted-conversation.test-support.js";
import { createPushConfigs } from "./push-configs.js";

const url = "https://receiver.example/";
const inV1 = (id: string) => ({ id, taskId: "t", url });

function openPush(script: ConversationScript) {
  const { conversation, seen } = openConversation(script);
  return { push: createPushConfigs(conversation, () => "t"), seen };
}

test("a list is fetched page by page, and the first request has no page token", async () => {
  const pages = [
    { configs: [inV1("a"), inV1("b")], nextPageToken: "2" },
    { configs: [inV1("c")], nextPageToken: "" },
  ];
  const { push, seen } = openPush({ call: () => pages.shift() });

  const configs = await push.list();

  expect(configs.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(seen.map(({ method, params }) => [method, params])).toEqual([
    ["ListTaskPushNotificationConfigs", { taskId: "t" }],
    ["ListTaskPushNotificationConfigs", { taskId: "t", pageToken: "2" }],
  ]);
});

test("on A2A 0.3 a list has no pages, and a config id is sent as pushNotificationConfigId", async () => {
  const config = { taskId: "t", pushNotificationConfig: { id: "a", url } };
  const { push, seen } = openPush({
    version: "0.3",
    call: ({ method }) => (method.endsWith("list") ? [config] : config),
  });

  expect(await push.list()).toEqual([{ id: "a", url }]);
  expect(await push.get("a")).toEqual({ id: "a", url });
  await push.delete("a");

  expect(seen.map(({ method, params }) => [method, params])).toEqual([
    ["tasks/pushNotificationConfig/list", { id: "t" }],
    ["tasks/pushNotificationConfig/get", { id: "t", pushNotificationConfigId: "a" }],
    ["tasks/pushNotificationConfig/delete", { id: "t", pushNotificationConfigId: "a" }],
  ]);
});

test("set() sends a config with authentication and an id, and returns the stored config", async () => {
  const { push, seen } = openPush({ call: ({ params }) => params });
  const authentication = { scheme: "Bearer", credentials: "secret" };

  const named = await push.set({ id: "a", url, token: "x", authentication });
  const { id, ...nameless } = await push.set({ url });

  expect(named).toEqual({ id: "a", url, token: "x", authentication });
  expect(nameless).toEqual({ url });
  expect(id).toMatch(/^[\w-]{32,}$/);
  expect(seen[0]?.params).toMatchObject({ taskId: "t", id: "a", authentication });
});

test("get() without an id returns the only config, and throws if there are none or several", async () => {
  const lists = [[inV1("a")], [], [inV1("a"), inV1("b")]];
  const { push } = openPush({ call: () => ({ configs: lists.shift() }) });

  expect(await push.get()).toEqual({ id: "a", url });
  await expect(push.get()).rejects.toMatchObject({ code: "task-not-found" });
  await expect(push.get()).rejects.toMatchObject({
    code: "invalid-message",
    message: expect.stringContaining("a, b"),
  });
});

test.each([
  [undefined, "result: expected a list"],
  [5, "result: expected a list"],
  [{ configs: {} }, "result.configs: expected a list"],
])(
  "the reply %j to the request for a list is refused with the path of the fault",
  async (answer, message) => {
    const { push } = openPush({ call: () => answer });

    await expect(push.list()).rejects.toMatchObject({ code: "invalid-message", message });
  },
);

test("an unreadable config is refused with the path of the fault", async () => {
  const { push } = openPush({ call: () => ({ taskId: "t" }) });

  await expect(push.get("a")).rejects.toThrow(/^result\.url: /);
});

test.each(["set", "get", "list", "delete", "get without an id"] as const)(
  "a signal aborts a method of the push configs: %s",
  async (name) => {
    let resolve = () => {};
    const called = new Promise<void>((done) => {
      resolve = done;
    });
    const { push, seen } = openPush({
      call: ({ signal }) => {
        resolve();
        return new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        });
      },
    });
    const abort = new AbortController();
    const { signal } = abort;
    const calls = {
      set: () => push.set({ url }, { signal }),
      get: () => push.get("a", { signal }),
      list: () => push.list({ signal }),
      delete: () => push.delete("a", { signal }),
      "get without an id": () => push.get(undefined, { signal }),
    };
    const running = calls[name]();
    await called;

    abort.abort(new Error("enough"));

    expect(seen.map((request) => request.signal?.aborted)).toEqual([true]);
    await expect(running).rejects.toThrow("enough");
  },
);
