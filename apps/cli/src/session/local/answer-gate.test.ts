import { expect, test } from "vitest";
import { createAnswerGate } from "./answer-gate.js";

test("others wait while a key is held and while its answer is on its way, for that question only", async () => {
  const gate = createAnswerGate();
  const order: string[] = [];
  await gate.settled("a");
  gate.holdKey("a");
  const other = gate.settled("a").then(() => order.push("other"));
  await gate.settled("b");

  let arrive = () => {};
  const passed = gate.pass("a", () => new Promise<void>((resolve) => (arrive = resolve)));
  gate.holdKey(undefined);
  await gate.settled("b");
  order.push("terminal");
  arrive();
  await Promise.all([passed, other]);

  expect(order).toEqual(["terminal", "other"]);
});

test("a key that was taken back lets the others through", async () => {
  const gate = createAnswerGate();
  gate.holdKey("a");
  const other = gate.settled("a");
  gate.holdKey(undefined);

  await expect(other).resolves.toBeUndefined();
});
