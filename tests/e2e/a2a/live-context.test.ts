import { connect } from "@dt/client";
import { openMemoryStore } from "@dt/server";
import { expect, test } from "vitest";
import { openLiveStage } from "../support/open-live-stage.js";
import { post } from "../support/raw-rpc.js";
import { jsonOf } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };

const say = (text: string, ids: object = {}) => ({
  message: { role: "ROLE_USER", messageId: text, parts: [{ text }], ...ids },
});

test("a message with any context id goes to the live session [CLI-10]", async () => {
  await using stage = await openLiveStage();
  const { taskId, contextId } = stage.live;
  const send = async (text: string, ids: object) =>
    (await jsonOf(await post(stage.url, "SendMessage", say(text, ids), V1))).result.task;

  const answers = [
    await send("say one", { contextId: "my-chat" }),
    await send("say two", { contextId: "my-chat", taskId }),
    // The server recognises the repeated message, although its context id differs from the id of the
    // session.
    await send("say one", { contextId: "my-chat" }),
  ];
  const client = await connect(stage.url);
  const task = await client.startTask({ prompt: "say three", contextId: "another-chat" });
  for await (const _ of task.events());

  const own = { id: taskId, contextId };
  expect(answers).toMatchObject([own, own, own]);
  expect(task.contextId).toBe(contextId);
  const { items } = await stage.live.view();
  const prompts = items.filter(({ event }) => event.kind === "USER_PROMPT");
  expect(prompts).toHaveLength(3);
  client.close();
});

test("a message to a live endpoint cannot open a stored session by its context id [SEC-03]", async () => {
  const kept = openMemoryStore();
  const openStore = () => ({ ...kept, close: async () => {} });
  const first = await openLiveStage({ openStore });
  const stored = first.live.contextId;
  await post(first.url, "SendMessage", say("say secret"), V1);
  await first[Symbol.asyncDispose]();
  await using stage = await openLiveStage({ openStore });

  const sent = say("say hi", { contextId: stored });
  const { task } = (await jsonOf(await post(stage.url, "SendMessage", sent, V1))).result;
  const list = (await jsonOf(await post(stage.url, "ListTasks", { contextId: stored }, V1))).result;

  expect(task.contextId).toBe(stage.live.contextId);
  expect(task.contextId).not.toBe(stored);
  expect(JSON.stringify(task)).not.toContain("secret");
  expect(list.tasks).toEqual([]);
});
