import { expect, test } from "vitest";
import { createAnswerGate } from "./answer-gate.js";

test("answers of other clients wait while the terminal answers the same question", async () => {
  const gate = createAnswerGate();
  const order: string[] = [];
  await gate.settled("a");
  gate.holdOthers("a");
  const other = gate.settled("a").then(() => order.push("other"));
  await gate.settled("b");

  let arrive = () => {};
  const passed = gate.pass("a", () => new Promise<void>((resolve) => (arrive = resolve)));
  gate.holdOthers(undefined);
  await gate.settled("b");
  order.push("terminal");
  arrive();
  await Promise.all([passed, other]);

  expect(order).toEqual(["terminal", "other"]);
});

test("answers of other clients are released if the pressed key does not answer", async () => {
  const gate = createAnswerGate();
  gate.holdOthers("a");
  const other = gate.settled("a");
  gate.holdOthers(undefined);

  await expect(other).resolves.toBeUndefined();
});
