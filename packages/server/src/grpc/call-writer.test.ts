import { expect, test } from "vitest";
import { createCallWriter } from "./call-writer.js";

/** A call whose messages stay buffered until the test reads them, one by one. */
function openStalledCall() {
  const waiting: (() => void)[] = [];
  return {
    waiting,
    write(_bytes: Buffer, callback?: unknown) {
      waiting.push(callback as () => void);
      return false;
    },
    read: () => waiting.shift()?.(),
  };
}

const CHUNK = Buffer.alloc(100 * 1024);

test("a writer waits while the client reads nothing, and continues when the client reads", async () => {
  const call = openStalledCall();
  const send = createCallWriter(call as never, new AbortController().signal);

  const first = send(CHUNK);
  const second = send(CHUNK);
  const third = send(CHUNK);
  call.read();
  await third;

  expect([first, second]).toEqual([undefined, undefined]);
  expect(third).toBeInstanceOf(Promise);
  expect(send(Buffer.alloc(1))).toBeUndefined();
});

test("a waiting writer continues when its call ends", async () => {
  const call = openStalledCall();
  const ended = new AbortController();
  const send = createCallWriter(call as never, ended.signal);
  send(CHUNK);
  send(CHUNK);

  const waiting = send(CHUNK);
  ended.abort();
  await waiting;

  expect(send(CHUNK)).toBeUndefined();
});
