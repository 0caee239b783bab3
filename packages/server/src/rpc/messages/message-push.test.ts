import type { A2aPushConfig } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { PushRecord } from "../../store/push-record.js";
import type { RpcContext } from "../rpc-context.js";
import { type MessagePush, parseMessagePush, withPush } from "./message-push.js";

const target = { url: "https://a.example/" };
const log = { contextId: "c" };
const subject = { host: { log, session: { owner: "ada" } }, taskId: "t" } as unknown as Parameters<
  MessagePush["set"]
>[0];

/** Parses the push config of a message, for a server that records all calls about push configs. */
function openPush(config: object, known: readonly string[] = []) {
  const steps: unknown[] = [];
  const later = async (name: string, ...about: readonly unknown[]) => {
    await new Promise(setImmediate);
    steps.push([name, ...about]);
  };
  const pushes = {
    parse(...given: readonly unknown[]) {
      steps.push(["parse", ...given.slice(0, 2)]);
      return target;
    },
    set: (request: unknown) => later("set", request),
    async list(taskId: string) {
      steps.push(["list", taskId]);
      return known.map((configId) => ({ configId, target }) as PushRecord);
    },
    async attach(request: unknown, to: unknown) {
      steps.push(["attach", request, to]);
      return {
        settle: (after: number) => later("settle", after),
        drop: () => void steps.push(["drop"]),
      };
    },
  };
  const context = { pushes, caller: { user: "ada" } } as unknown as RpcContext;
  const received = {
    config: config as A2aPushConfig,
    path: "configuration.pushNotificationConfig",
  };
  const push = parseMessagePush(received, context);
  return { push, steps };
}

const request = { taskId: "t", configId: "t", contextId: "c", target };

test("a config without an id gets the id of its task", async () => {
  const config = { url: "https://a.example/" };
  const { push, steps } = openPush(config);

  await push.set(subject);

  expect(steps).toEqual([
    ["parse", config, "configuration.pushNotificationConfig"],
    ["set", request],
  ]);
});

test("the config of a re-sent message is set only if the task does not have the config", async () => {
  const fresh = openPush({ id: "a" }, ["b"]);
  const known = openPush({ id: "a" }, ["b", "a"]);

  await fresh.push.add(subject);
  await known.push.add(subject);

  expect(fresh.steps.slice(1)).toEqual([
    ["list", "t"],
    ["set", { ...request, configId: "a" }],
  ]);
  expect(known.steps.slice(1)).toEqual([["list", "t"]]);
});

test("an attached config is settled if its message is accepted, and dropped if it is refused", async () => {
  const at = { ...subject, messageId: "m" };
  const ticket = { taskId: "t", turn: 1, afterPosition: 7 };
  const accepted = openPush({});
  const refused = openPush({});

  expect(await withPush(accepted.push, at, async () => ticket)).toBe(ticket);
  await expect(withPush(refused.push, at, () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  expect(await withPush(undefined, at, async () => ticket)).toBe(ticket);

  const attached = ["attach", request, { message: { user: "ada", messageId: "m" }, log }];
  expect(accepted.steps.slice(1)).toEqual([attached, ["settle", 7]]);
  expect(refused.steps.slice(1)).toEqual([attached, ["drop"]]);
});
