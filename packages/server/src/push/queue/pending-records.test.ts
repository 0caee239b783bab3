import { expect, test } from "vitest";
import { toConfigRef } from "./config-ref.js";
import { toPushLimits } from "./delivery-limits.js";
import type { Delivered } from "./pending-call.js";
import { createPendingRecords } from "./pending-records.js";

const DAY_MS = 24 * 60 * 60_000;

const config = (configId: string) =>
  toConfigRef({
    taskId: "task",
    configId,
    contextId: "context",
    revision: "1",
    target: {
      url: "https://a.example/hook",
      version: "1.0",
      developmentTool: true,
      session: true,
      allEvents: false,
    },
    progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false },
  });

/** Creates records whose calls all have the given result. */
function openRecords(delivered: Delivered) {
  const called: string[] = [];
  let onDelivered = () => {};
  const records = createPendingRecords({
    limits: toPushLimits({ maxQueued: 1 }),
    now: () => 0,
    async deliver({ key }) {
      called.push(key.configId);
      return delivered;
    },
    onOverflow() {},
    onDelivered: () => onDelivered(),
  });
  /** Notifies a config; resolves when its call has ended. */
  async function notify(configId: string): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      onDelivered = resolve;
    });
    records.advance(config(configId), "notify");
    records.startCalls();
    await ended;
  }
  return { records, called, notify };
}

test.each([
  ["has nothing to deliver", { type: "nothing" }],
  ["was given up", { type: "give-up" }],
] as const)("a config that %s needs no record", async (_what, step) => {
  const { records, notify } = openRecords({ step });

  await notify("x");

  expect([...records.all()]).toEqual([]);
});

test("the record of a config that waits has no call", async () => {
  const { records, notify } = openRecords({ step: { type: "fail", until: DAY_MS } });

  await notify("x");

  const record = records.find({ taskId: "task", configId: "x" });
  expect(record).toMatchObject({ state: { type: "waiting", until: DAY_MS } });
  expect(record).not.toHaveProperty("call");
  clearTimeout(record?.timer);
});

test("the number of records is at most maxQueued plus 10,000, and an extra config has no record", async () => {
  const { records, called, notify } = openRecords({ step: { type: "fail", until: DAY_MS } });
  for (let index = 1; index <= 10_002; index += 1) await notify(`${index}`);
  const size = [...records.all()].length;

  records.advance(config("10001"), "notify");
  await notify("10002");

  expect(size).toBe(10_001);
  expect(called.slice(10_002)).toEqual(["10002"]);
  for (const { timer } of records.all()) clearTimeout(timer);
});
