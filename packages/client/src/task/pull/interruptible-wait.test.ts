import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { createInterruptibleWait } from "./interruptible-wait.js";

/** Waits until a signal aborts. */
const untilAbort = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve());
  });

test("a wait ends when it is interrupted or when the client closes", async () => {
  const closing = new AbortController();
  const wait = createInterruptibleWait(closing.signal);

  const interrupted = wait.run(untilAbort);
  wait.interrupt();
  await expect(interrupted).resolves.toBeUndefined();
  const closed = wait.run(untilAbort);
  closing.abort();

  await expect(closed).resolves.toBeUndefined();
});

test("an interrupt without a wait does not end the next wait", async () => {
  const closing = new AbortController();
  const wait = createInterruptibleWait(closing.signal);

  wait.interrupt();
  await wait.run(async () => {});
  wait.interrupt();
  await wait.run(async (signal) => expect(signal.aborted).toBe(false));

  expect(getEventListeners(closing.signal, "abort")).toEqual([]);
});

test("the error of a wait is thrown, and the client's signal is released", async () => {
  const closing = new AbortController();
  const wait = createInterruptibleWait(closing.signal);

  await expect(wait.run(async () => Promise.reject(new Error("cut")))).rejects.toThrow("cut");

  expect(getEventListeners(closing.signal, "abort")).toEqual([]);
});
