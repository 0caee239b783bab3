import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { createPendingAnswers } from "./pending-answers.js";

test("a wait for a question ends when that question is settled", async () => {
  const answers = createPendingAnswers();
  const { signal } = new AbortController();
  const settled: string[] = [];
  const waits = ["a", "b"].map(async (id) => {
    await answers.wait(id, signal);
    settled.push(id);
  });

  answers.settle("b");
  await waits[1];
  answers.settle("b");
  answers.settle("unknown");
  expect(settled).toEqual(["b"]);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);

  answers.settle("a");
  await waits[0];
  expect(settled).toEqual(["b", "a"]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort ends every wait, even a wait that starts later", async () => {
  const answers = createPendingAnswers();
  const abort = new AbortController();
  const waits = [answers.wait("a", abort.signal), answers.wait("b", abort.signal)];

  abort.abort();
  await Promise.all(waits);
  await answers.wait("c", abort.signal);

  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});
