import path from "node:path";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { isIdle, openLiveStage } from "./support/open-live-stage.js";
import { openPushReceiver, type Received } from "./support/push-receiver.js";
import { post } from "./support/raw-rpc.js";

const PUSH = { allowList: ["127.0.0.1"], timeoutMs: 60_000, retry: { baseMs: 5, maxMs: 50 } };

const stateOf = ({ json }: Received): string => {
  const { state } = (json.statusUpdate ?? json.task).status;
  return state.replace("TASK_STATE_", "").toLowerCase();
};

test("a receiver gets the state changes of a live session up to its end [RFC-03]", async () => {
  await using receiver = await openPushReceiver();
  const stage = await openLiveStage({ server: { push: PUSH } });
  const taskId = stage.live.taskId;

  const config = { taskId, id: "phone", url: receiver.url };
  await post(stage.url, "CreateTaskPushNotificationConfig", config);
  await stage.type("say hello");
  await stage.until(isIdle);
  await stage.live.close();
  await receiver.until(() => receiver.received.some((request) => stateOf(request) === "completed"));
  await stage[Symbol.asyncDispose]();

  const states = receiver.received.map(stateOf);
  expect(states.slice(-3)).toEqual(["working", "input_required", "completed"]);
  expect(stage.faults).toEqual([]);
});

test("a terminal does not deliver pushes for another terminal's session in the same store [RFC-03]", async () => {
  await using data = await openDataDir();
  const file = path.join(data.directory, "live.db");
  const openStore = () => openSqliteStore({ file, isShared: true });
  await using receiver = await openPushReceiver();
  await using first = await openLiveStage({ openStore, server: { push: PUSH } });
  receiver.answerWith("hang");
  const config = { taskId: first.live.taskId, id: "c", url: receiver.url };
  await post(first.url, "CreateTaskPushNotificationConfig", config);
  await first.type("say hello");
  await first.until(isIdle);
  await receiver.until(() => receiver.received.length === 1);

  // A second terminal starts. It must not deliver the events of the first session.
  await using second = await openLiveStage({ openStore, server: { push: PUSH } });
  await second.type("say hi");
  await second.until(isIdle);
  const meanwhile = receiver.received.length;
  await first.resume();
  await receiver.until(() => {
    return receiver.accepted().some((request) => stateOf(request) === "completed");
  });

  expect(meanwhile).toBe(1);
  const positions = receiver.accepted().map(({ cursor }) => Number.parseInt(cursor, 10));
  expect(positions).toEqual([...positions].sort((left, right) => left - right));
  expect(first.faults).toEqual([]);
  expect(second.faults).toEqual([]);
});

test("deliveries of a live session stop with its endpoint and continue with its next endpoint", async () => {
  await using receiver = await openPushReceiver();
  await using stage = await openLiveStage({ server: { push: PUSH } });
  const { taskId } = stage.live;
  await post(stage.url, "CreateTaskPushNotificationConfig", {
    taskId,
    id: "c",
    url: receiver.url,
  });
  await stage.server.close();

  await stage.type("say hello");
  await stage.until(isIdle);
  const before = receiver.received.map(stateOf);
  const next = await stage.live.serve({ push: PUSH });
  const states = () => receiver.received.map(stateOf);
  await receiver.until(() => states().slice(-2).join() === "working,input_required");
  await next.close();

  expect(before).not.toContain("working");
});
